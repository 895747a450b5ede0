#include "tests/cases/runner.h"

int main(int argc, char** argv) {
  return dray::cases::run(argc, argv);
}
