# How libraries, chapters and tests are declared: one line each in the folder's CMakeLists.txt.

# llm_library(NAME SOURCES a.cpp ... LINK targets ... PRIVATE_LINK targets ...)
# A static library. LINK is what its headers and sources stand on; PRIVATE_LINK what only its sources use.
function(llm_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC llm_flags ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
endfunction()

# llm_isa_source(TARGET FILE ISAS avx2 avx512 ... | ONLY avx2 ...)
# Compiles FILE once for the baseline (not with ONLY) and once per named instruction set, each time with
# LLM_ISA defined to the set's name, so that the file can put its code into namespace LLM_ISA. The caller picks
# one at run time
# (common/base/isa.h). Sets of another processor family are left out. Optimised in debug builds too: what is
# not inlined could be an inline function that the linker shares with code for lesser processors; the test
# isa_symbols looks for such.
set(LLM_ISA_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi2)
set(LLM_ISA_FLAGS_avx512 ${LLM_ISA_FLAGS_avx2} -mavx512f -mavx512bw -mavx512vl -mavx512dq -mprefer-vector-width=512)
set(LLM_ISA_FLAGS_avx512bf16 ${LLM_ISA_FLAGS_avx512} -mavx512bf16 -mavx512vnni)
set(LLM_ISA_FLAGS_neon "")
function(llm_isa_source target file)
  cmake_parse_arguments(ARG "" "" "ISAS;ONLY;LINK" ${ARGN})
  set(isas)
  if(NOT ARG_ONLY)
    set(isas baseline)
  endif()
  foreach(isa ${ARG_ISAS} ${ARG_ONLY})
    set(is_arm FALSE)
    if(isa STREQUAL neon)
      set(is_arm TRUE)
    endif()
    if((is_arm AND CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64") OR
       (NOT is_arm AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64"))
      list(APPEND isas ${isa})
    endif()
  endforeach()
  foreach(isa ${isas})
    get_filename_component(stem ${file} NAME_WE)
    set(object ${target}_${stem}_${isa})
    add_library(${object} OBJECT ${file})
    target_link_libraries(${object} PRIVATE llm_flags ${ARG_LINK})
    target_compile_definitions(${object} PRIVATE LLM_ISA=${isa})
    # gcc's own AVX-512 header seems to read uninitialised vectors (gcc bug 105593).
    target_compile_options(${object} PRIVATE ${LLM_ISA_FLAGS_${isa}} -O3
                                             $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-uninitialized>)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
    set_property(GLOBAL APPEND PROPERTY LLM_OBJECTS_${isa} $<TARGET_OBJECTS:${object}>)
  endforeach()
endfunction()

# llm_chapter(NN_name SOURCES a.cpp ... USES NN_name ... LINK targets ... PRIVATE_LINK targets ...)
# A chapter: the library llm_NN_name of its SOURCES and the program NN_name of its main.cpp, where there is
# one. USES names the lower chapters whose code it includes.
function(llm_chapter name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINK;PRIVATE_LINK" ${ARGN})
  list(TRANSFORM ARG_USES PREPEND llm_)
  llm_library(llm_${name} SOURCES ${ARG_SOURCES} LINK llm_seams llm_text llm_cli ${ARG_USES} ${ARG_LINK}
              PRIVATE_LINK ${ARG_PRIVATE_LINK})
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)
    llm_program(${name} main.cpp LINK llm_${name})
  endif()
endfunction()

# llm_program(NAME FILE ... LINK targets ...): a program in build/bin.
function(llm_program name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE llm_flags ${ARG_LINK} fmt::fmt nlohmann_json::nlohmann_json)
endfunction()

# llm_test(NAME SOURCES a.cpp ... LINK targets ... LABELS slow ...)
# A doctest program in build/bin/tests, run by ctest. The data of the tests is found by LLM_SOURCE_DIR.
function(llm_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES} ${CMAKE_SOURCE_DIR}/tests/doctest_main.cpp)
  target_link_libraries(test_${name} PRIVATE llm_flags ${ARG_LINK} doctest::doctest fmt::fmt
                                             nlohmann_json::nlohmann_json)
  target_compile_definitions(test_${name} PRIVATE LLM_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/tests)
  add_test(NAME ${name} COMMAND test_${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600)
endfunction()

# llm_script_test(NAME SCRIPT ARGS ... LABELS slow ...): a test in Python's standard library, run by ctest.
function(llm_script_test name script)
  cmake_parse_arguments(ARG "" "" "ARGS;LABELS" ${ARGN})
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(NOT Python3_FOUND)
    message(STATUS "${name} is left out: python3 is not installed")
    return()
  endif()
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${ARG_ARGS}
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMAND_EXPAND_LISTS)
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600)
endfunction()

# llm_fuzz(NAME SOURCES a.cpp ... LINK targets ...): a libFuzzer program in build-fuzz/bin/fuzz. Only with LLM_FUZZ;
# `make fuzz` runs each for a while, starting from the files in corpus/NAME beside it, where there are any.
add_custom_target(fuzzers)
function(llm_fuzz name)
  if(NOT LLM_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(fuzz_${name} ${ARG_SOURCES})
  target_link_libraries(fuzz_${name} PRIVATE llm_flags ${ARG_LINK} fmt::fmt nlohmann_json::nlohmann_json)
  target_compile_definitions(fuzz_${name} PRIVATE LLM_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/fuzz)
  add_dependencies(fuzzers fuzz_${name})
endfunction()
