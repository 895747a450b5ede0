# dray_embed(OUT FUNCTION HEADER FILE...): writes OUT, a source that defines dray::app::FUNCTION() of HEADER as the texts
# of the files, so that the program knows what it was built with. Changed files configure anew.
function(dray_embed out function header)
  set(entries "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    cmake_path(GET file FILENAME name)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${out} @ONLY CONTENT "#include \"${header}\"

#include <array>

namespace dray::app {
namespace {

constexpr auto files = std::to_array<EmbeddedFile>({
${entries}});

}  // namespace

std::span<const EmbeddedFile> ${function}() { return files; }

}  // namespace dray::app
")
endfunction()
