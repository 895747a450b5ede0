#include "cel/text/url_text.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

// Asked of Go's net/url (url.Parse, url.ParseRequestURI, URL.String, URL.Query).

namespace dray::cel::url_text_test {
namespace {

std::string parts(const std::string& text) {
  std::string error;
  const auto url = parse_url(text, error);
  if (!url) return error;
  return fmt::format("{} {} {} {} {}", url->scheme, url->host, url->escaped_path, url->raw_query,
                     url->text == text ? "=" : url->text);
}

struct Row {
  std::string text;
  std::string parts;
};

TEST_CASE("the parts of a URL") {
  const auto row = GENERATE(
      Row{"https://a.io:8080/p/q?x=1&y=2#f", "https a.io:8080 /p/q x=1&y=2 ="},
      Row{"http://u:p%40@h/", "http h /  ="}, Row{"mailto:a@b.c", "mailto    ="},
      Row{"//h/p", " h /p  ="}, Row{"/p?q", "  /p q ="}, Row{"", "    ="},
      Row{"HTTPS://A.io/%7Efoo%2fbar", "https A.io /%7Efoo%2fbar  https://A.io/%7Efoo%2fbar"},
      Row{"http://[fe80::1%25en0]:80/x", "http [fe80::1%en0]:80 /x  ="},
      Row{"http://h/a b", "http h /a%20b  http://h/a%20b"}, Row{"a:b:c", "a    ="},
      Row{"http://h?", "http h   ="}, Row{"http://h/*", "http h /*  ="}, Row{"*", "  *  ="},
      Row{"http://h/a;b?c;d=1&&e", "http h /a;b c;d=1&&e ="},
      Row{"http://h/%41%2F", "http h /%41%2F  ="}, Row{"?a=b", "   a=b ="}, Row{"#f", "    ="},
      Row{"http://h:/", "http h: /  ="});
  INFO(row.text);
  CHECK(parts(row.text) == row.parts);
}

TEST_CASE("what is no URL says why") {
  const auto row =
      GENERATE(Row{"http://a b/", R"(parse "http://a b/": invalid character " " in host name)"},
               Row{"http://h:x/", R"(parse "http://h:x/": invalid port ":x" after host)"},
               Row{":x", R"(parse ":x": missing protocol scheme)"},
               Row{"http://h/%zz", R"(parse "http://h/%zz": invalid URL escape "%zz")"},
               Row{"http://[::1/", R"(parse "http://[::1/": missing ']' in host)"},
               Row{"h\x7f", R"(parse "h\x7f": net/url: invalid control character in URL)"},
               Row{"1a:b", R"(parse "1a:b": first path segment in URL cannot contain colon)"});
  INFO(row.text);
  CHECK(parts(row.text) == row.parts);
}

TEST_CASE("a request's URI is absolute, in one way or the other") {
  const auto row = GENERATE(
      Row{"/p", ""}, Row{"*", ""}, Row{"a:b:c", ""}, Row{"//h/p", ""},
      Row{"", R"(parse "": empty url)"}, Row{"?a=b", R"(parse "?a=b": invalid URI for request)"},
      Row{"#f", R"(parse "#f": invalid URI for request)"},
      Row{"1a:b", R"(parse "1a:b": invalid URI for request)"},
      Row{"http://h:x/", R"(parse "http://h:x/": invalid port ":x" after host)"});
  INFO(row.text);
  std::string error;
  CHECK(is_request_uri(row.text, error) == row.parts.empty());
  CHECK(error == row.parts);
}

TEST_CASE("a host is parted at its port") {
  struct Host {
    std::string host;
    std::string name;
    std::string port;
  };
  const auto row =
      GENERATE(Host{"a.io:8080", "a.io", "8080"}, Host{"a.io", "a.io", ""}, Host{"h:", "h", ""},
               Host{"[::1]:80", "::1", "80"}, Host{"[::1]", "::1", ""}, Host{"", "", ""});
  INFO(row.host);
  CHECK(url_hostname(row.host) == row.name);
  CHECK(url_port(row.host) == row.port);
}

TEST_CASE("a query's malformed parts are left out") {
  using Query = std::vector<std::pair<std::string, std::string>>;
  CHECK(url_query("x=1&x=2&y") == Query{{"x", "1"}, {"x", "2"}, {"y", ""}});
  CHECK(url_query("c;d=1&&e") == Query{{"e", ""}});
  CHECK(url_query("a+b=c%20d&%zz=1&=v") == Query{{"a b", "c d"}, {"", "v"}});
  CHECK(url_query("").empty());
}

}  // namespace
}  // namespace dray::cel::url_text_test
