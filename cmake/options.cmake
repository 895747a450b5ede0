# Flags of every target: warnings are errors; no fused multiply-add, so that published formulas give
# the same double everywhere (STYLE rule 7).
add_library(dray_options INTERFACE)
target_compile_options(dray_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor
  -Wold-style-cast -Werror -ffp-contract=off)

# g++ 12, when it optimises, takes "x" + std::string for overlapping memory (GCC bug 105651) and the
# buffer of a short std::string for uninitialised (GCC bug 105562); the sanitizers watch for both.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(dray_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()

# g++ looks for what it may forget each time that its heap has grown by some; a batch fits into memory whole, and looking is a
# tenth of its time. Only where each compiler at work may have so much.
include(ProcessorCount)
ProcessorCount(cores)
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY) # MiB
math(EXPR enough "3072 * ${cores}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND memory GREATER_EQUAL enough)
  add_compile_options(--param=ggc-min-heapsize=1048576) # KiB
endif()

# A batch of files as one (presets for users and CI; `dev` compiles file by file) shows each file's own
# names to the next, where hiding one is no mistake.
if(DRAY_BATCHES)
  target_compile_options(dray_options INTERFACE
    -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

# Clang takes g++ 12's own stable_sort for a user of std::get_temporary_buffer.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(dray_options INTERFACE -Wno-deprecated-declarations)
endif()

# Builds say nothing of the folder they were made in, whether paths come absolute or, through ccache,
# relative to the build folder.
cmake_path(RELATIVE_PATH CMAKE_SOURCE_DIR BASE_DIRECTORY ${CMAKE_BINARY_DIR} OUTPUT_VARIABLE up)
target_compile_options(dray_options INTERFACE
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -ffile-prefix-map=${up}/=)

if(DRAY_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(DRAY_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(dray_options INTERFACE -Wno-tsan)
  endif()
elseif(NOT DRAY_SANITIZE STREQUAL "")
  message(FATAL_ERROR "DRAY_SANITIZE is '${DRAY_SANITIZE}'; it may be address or thread")
endif()

if(DRAY_FUZZ)
  # libFuzzer follows what an input covers in every layer.
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fprofile-instr-generate)
endif()

# dray_measure_lines(TARGET): in the preset `fuzz`, which lines of the target ran can be shown (tools/line_coverage.py).
function(dray_measure_lines target)
  if(DRAY_FUZZ)
    target_compile_options(${target} PRIVATE -fprofile-instr-generate -fcoverage-mapping)
  endif()
endfunction()

# What users run is hardened against errors of memory; tools/hardening.py looks for each of these in the program. Not with a
# sanitizer, which has checks of its own, and not in `dev`, where _FORTIFY_SOURCE needs an optimiser.
include(CheckCXXCompilerFlag)
set(DRAY_HARDENED FALSE)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT DRAY_SANITIZE)
  set(DRAY_HARDENED TRUE)
  add_compile_options(-fPIE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong)
  add_link_options(-pie)
  # Shadow stacks and landing pads: on x86-64 CET, on arm64 BTI and PAC.
  foreach(flag -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "DRAY_HAS${flag}" has)
    check_cxx_compiler_flag(${flag} ${has})
    if(${has})
      add_compile_options(${flag})
    endif()
  endforeach()
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD AND NOT DRAY_FUZZ)
  # mold 1.10, Debian 12's, may begin GNU_RELRO in a page that is not there: one program in some hundreds does not load
  # then. What users run is linked by ld (dray_program).
  add_link_options(-fuse-ld=mold -Wl,-z,norelro)
endif()

# dray_trust_in_fuzzing(TARGET): in the preset `fuzz` the target, which reads nothing from outside, is compiled in a third of
# the time, without sanitizers.
function(dray_trust_in_fuzzing target)
  if(DRAY_FUZZ)
    target_compile_options(${target} PRIVATE -O0 -g0 -fno-sanitize=all)
  endif()
endfunction()

# dray_compile_at(TARGET LEVEL): a level of optimisation of its own in all presets but `dev`.
# At -O1 g++ 12 takes a coroutine's operator new and delete for a mismatched pair (GCC bug 109224).
function(dray_compile_at target level)
  target_compile_options(${target} PRIVATE
    $<$<CONFIG:Release,RelWithDebInfo>:${level} $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>>)
endfunction()
