#include <iostream>
#include <string>

#include "tests/api_model/player.h"

// One JSON line in, one out, until the input ends: tests/cluster plays the same on a real API
// server.
int main() {
  dray::api_model::Player player;
  for (std::string line; std::getline(std::cin, line);) {
    dray::api_model::Json answer;
    try {
      answer = player.ask(dray::api_model::Json::parse(line));
    } catch (const dray::api_model::Json::exception& wrong) {
      answer = {{"error", wrong.what()}};
    }
    std::cout << answer.dump() << '\n' << std::flush;
  }
}
