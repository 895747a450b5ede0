#include <sys/wait.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "tests/commands/child.h"
#include "tests/temp_folder.h"

namespace dray::commands_test::reference_test {
namespace {

struct Said {
  int status = -1;
  std::string out;
};

/// What the shell's command writes, on both streams.
Said shell(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  Said said;
  std::array<char, 4096> buffer{};
  while (const auto count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    said.out.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  said.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return said;
}

/// What bash offers for the words, of which the last is being written.
std::string completed(const std::string& words, int last) {
  return shell("bash -c 'source <(" DRAY_PROGRAM " completion bash); COMP_WORDS=(" + words +
               "); COMP_CWORD=" + std::to_string(last) + "; _dray; echo \"${COMPREPLY[*]}\"'")
      .out;
}

/// Whether the shell is installed; `./dev test` sees to it.
bool there(const std::string& name) {
  if (shell("command -v " + name).status == 0) {
    return true;
  }
  WARN("skipped: no " << name << " to read its script");
  return false;
}

/// What the script gives zsh's own functions for the words, of which the last is being written.
std::string zsh_completed(const std::string& words, int last) {
  const testing::TempFolder folder;
  const auto path =
      folder.write("ask",
                   "compdef() { : }; _files() { print files }; compadd() { print -r -- \"$@\" }\n"
                   "source <(" DRAY_PROGRAM
                   " completion zsh)\n"
                   "words=(" +
                       words + "); CURRENT=" + std::to_string(last) + "; _dray\n");
  return shell("zsh -f " + path).out;
}

/// What fish offers for the line.
std::string fish_completed(const std::string& line) {
  const testing::TempFolder folder;
  const auto path =
      folder.write("ask", DRAY_PROGRAM " completion fish | source\ncomplete -C '" + line + "'\n");
  return shell("HOME=" + folder.path() + " fish --no-config " + path).out;
}

}  // namespace

TEST_CASE("bash completes commands, flags, their words, and files elsewhere") {
  CHECK(completed("dray po", 1) == "policy\n");
  CHECK(completed("dray policy te", 2) == "test\n");
  CHECK(completed("dray policy simulate --snap", 3) == "--snapshot\n");
  CHECK(completed("dray queues -o ja js", 4) == "\n");
  CHECK(completed("dray queues -o \"\"", 3) == "table wide json yaml name\n");
  CHECK(completed("dray demo --output \"\"", 3) == "table json\n");
  CHECK(completed("dray top dr", 2) == "drivers\n");
  CHECK(completed("dray --ver", 1) == "--version\n");
  CHECK(completed("dray allocate -f READ", 3) == "README.md\n");
  CHECK(completed("dray completion \"\"", 2).contains("bash zsh fish"));
}

TEST_CASE("the scripts for zsh and fish name every command and its flags") {
  const auto zsh = dray({"completion", "zsh"});
  CHECK(zsh.status == 0);
  CHECK(zsh.out.starts_with("#compdef dray kubectl-dray\n"));
  CHECK(zsh.out.contains(
      "'policy test --output'|'policy test -o') takes=1 offer='table json yaml' ;;"));
  const auto fish = dray({"completion", "fish"});
  CHECK(fish.status == 0);
  CHECK(fish.out.contains("complete -c dray -n '__fish_use_subcommand' -f -a policy -d "));
  CHECK(
      fish.out.contains("'__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from "
                        "test' -l output -s o -x -a 'table json yaml'"));
}

TEST_CASE("zsh completes commands, flags' words, and files elsewhere") {
  if (!there("zsh")) {
    return;
  }
  CHECK(zsh_completed("dray policy te", 3).starts_with("-- validate fmt diff test simulate "));
  CHECK(zsh_completed("dray queues -o \"\"", 4) == "-- table wide json yaml name\n");
  CHECK(zsh_completed("dray allocate -f READ", 4) == "files\n");
  CHECK(zsh_completed("dray completion \"\"", 3).contains(" bash zsh fish\nfiles\n"));
}

TEST_CASE("fish completes commands, flags and flags' words") {
  if (!there("fish")) {
    return;
  }
  CHECK(fish_completed("dray po") == "policy\tCheck, format, compare, test and try policy files\n");
  CHECK(fish_completed("dray policy te").starts_with("test\t"));
  CHECK(fish_completed("dray policy simulate --snap").starts_with("--snapshot\t"));
  CHECK(fish_completed("dray queues -o ") == "json\nname\ntable\nwide\nyaml\n");
}

TEST_CASE("a manual page is of the same definitions as --help, and sound for groff") {
  const auto page = dray({"man", "policy", "test"});
  CHECK(page.status == 0);
  CHECK(page.out.starts_with(".TH DRAY\\-POLICY\\-TEST 1 "));
  CHECK(
      page.out.contains(".B \\-\\-output, \\-o TEXT\nOne of table, json, yaml. Default: table.\n"));
  CHECK(page.out.contains(".SH EXIT STATUS\n"));
  CHECK(dray({"man"}).out.contains(".TP\n.BR dray\\-queues (1)\n"));
  const auto none = dray({"man", "polcy"});
  CHECK(none.status == 2);
  CHECK(none.err == "dray man: no command dray polcy; did you mean dray policy?\n");
  testing::TempFolder folder;
  CHECK(dray({"man", "--dir", folder.path()}).status == 0);
  CHECK(std::filesystem::exists(folder.path() + "/dray-policy-test.1"));
  CHECK(std::filesystem::exists(folder.path() + "/dray.1"));
  CHECK(dray({"man", "--dir", "/no/such"}).status == 2);
  if (shell("command -v groff").status != 0) {
    WARN("skipped: no groff to read the pages");
    return;
  }
  const auto read = shell("groff -man -Tutf8 -ww -z " + folder.path() + "/*.1");
  CHECK(read.status == 0);
  CHECK(read.out.empty());
}

TEST_CASE("by the name of kubectl-dray it is kubectl's plugin") {
  const testing::TempFolder folder;
  const auto plugin = folder.path() + "/kubectl-dray";
  std::filesystem::create_symlink(DRAY_PROGRAM, plugin);
  const auto help = shell(plugin + " policy --help");
  CHECK(help.status == 0);
  CHECK(help.out.contains("Usage: kubectl dray policy "));
  CHECK(shell(plugin + " policy schema").out.starts_with("{\n"));
  CHECK(shell(plugin + " completion bash").out == dray({"completion", "bash"}).out);
}

TEST_CASE("colour is for terminals, and NO_COLOR has the last word") {
  const std::string match = DRAY_PROGRAM " match true --cluster config/demo/cluster";
  CHECK(!shell(match).out.contains('\x1b'));
  CHECK(shell("env -u NO_COLOR CLICOLOR_FORCE=1 " + match).out.contains("\x1b[32myes\x1b[0m"));
  CHECK(!shell("NO_COLOR=1 CLICOLOR_FORCE=1 " + match).out.contains('\x1b'));
}

}  // namespace dray::commands_test::reference_test
