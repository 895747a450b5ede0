#include "app/doctor/doctor_report.h"

#include <catch2/catch.hpp>

namespace dray::app::doctor_report_test {

TEST_CASE("a finding says what, why and how to mend it") {
  const Findings findings{
      {Fault::extender_ignorable, "f: extenders[0]", "ignorable is true", "set ignorable: false"}};
  CHECK(findings_text(findings) ==
        "extender-ignorable: f: extenders[0]\n"
        "  what: ignorable is true\n"
        "  why:  when dray does not answer, kube-scheduler goes on without it and binds pods whose "
        "claims are not allocated\n"
        "  mend: set ignorable: false\n"
        "\n"
        "1 found.\n");
  CHECK(findings_json(findings) ==
        R"({"findings":[{"name":"extender-ignorable","object":"f: extenders[0]",)"
        R"("what":"ignorable is true","why":"when dray does not answer, kube-scheduler goes on )"
        R"(without it and binds pods whose claims are not allocated",)"
        R"("mend":"set ignorable: false"}]})");
}

TEST_CASE("nothing to say") {
  CHECK(findings_text({}) == "Nothing is wrong.\n");
  CHECK(findings_json({}) == R"({"findings":[]})");
  CHECK(stranded_text({}) == "Nothing would be left behind.\n");
  CHECK(stranded_json({}) == R"({"stranded":[]})");
}

TEST_CASE("a line a thing that would be left behind") {
  const std::vector<Stranded> stranded{{StrandedKind::gated_pod, "Pod team/p", "waits"},
                                       {StrandedKind::half_bound, "ResourceClaim team/c", "has"}};
  CHECK(stranded_text(stranded) ==
        "STRANDED          OBJECT                WHAT\n"
        "gated-pod         Pod team/p            waits\n"
        "half-bound-claim  ResourceClaim team/c  has\n");
  CHECK(stranded_json(stranded) ==
        R"({"stranded":[{"name":"gated-pod","object":"Pod team/p","what":"waits"},)"
        R"({"name":"half-bound-claim","object":"ResourceClaim team/c","what":"has"}]})");
}

}  // namespace dray::app::doctor_report_test
