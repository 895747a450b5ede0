#include "dashboard/web_page.h"

#include <utility>

namespace dray::dashboard {
namespace {

constexpr std::string_view policy_begins = R"(http-equiv="Content-Security-Policy" content=")";
constexpr std::string_view runs_nothing =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

WebPage built_page(std::string html) {
  WebPage page{std::move(html), std::string(runs_nothing)};
  const auto begins = page.html.find(policy_begins);
  if (begins == std::string::npos) return page;
  const auto first = begins + policy_begins.size();
  const auto last = page.html.find('"', first);
  if (last == std::string::npos) return page;
  page.policy = page.html.substr(first, last - first) + "; frame-ancestors 'none'";
  return page;
}

WebPage page_not_built(std::string_view why) {
  return {R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>dray: the pages were not built</title></head>
<body><main><h1>The pages of the dashboard were not built</h1>
<p>dray runs, and so does the API under <code>/v1/dashboard/</code>; only the page is missing. Build it with
<code>./dev web</code> (it needs Node and npm) and start dray again.</p><p>)" +
              escaped(why) + "</p></main></body></html>\n",
          std::string(runs_nothing)};
}

}  // namespace dray::dashboard
