# The compiler's flags and the project's options.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or Sanitize" FORCE)
endif()
# Fast enough to run all tests, slow enough to be debugged, asserts on.
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1 -D_GLIBCXX_ASSERTIONS")

option(LLM_BUILD_TESTS "Build the tests, the bench and inspect" ON)
option(LLM_WERROR "Treat warnings as errors" OFF)
option(LLM_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(LLM_FUZZ "Build the libFuzzer targets (needs clang)" OFF)
option(LLM_CUDA "Build the CUDA engine (needs the CUDA Toolkit)" OFF)

# Coroutines and the C++20 library parts that the course uses.
set(compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if((CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12) OR
   (CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14))
  message(FATAL_ERROR "${compiler} is too old: gcc 12 or clang 14 is needed. "
                      "Install one (apt-get install g++-12) and run: make clean && make run CXX=g++-12")
endif()
if(LLM_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "libFuzzer comes with clang, this is ${compiler}: use `make fuzz` or -DCMAKE_CXX_COMPILER=clang++")
endif()
if(LLM_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "LLM_CUDA is on and nvcc is not found: install the CUDA Toolkit and put nvcc on the PATH, "
                        "or configure with -DLLM_CUDA=OFF (everything else works without it)")
  endif()
  enable_language(CUDA)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(llm_flags INTERFACE)
target_include_directories(llm_flags INTERFACE ${CMAKE_SOURCE_DIR})
# No contraction of a * b + c behind our back: the same source gives the same bits on every machine.
# Kernels that want a fused multiply-add ask for it by name.
target_compile_options(llm_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off>)
# gcc 12 and 13 see overlapping copies in "text" + std::to_string(n) where there are none (GCC bug 105651).
target_compile_options(llm_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(LLM_WERROR)
  target_compile_options(llm_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(LLM_SANITIZE)
  set(sanitizers address,undefined)
  target_compile_options(llm_flags INTERFACE -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(llm_flags INTERFACE -fsanitize=${sanitizers}$<$<BOOL:${LLM_FUZZ}>:,fuzzer-no-link>)
  target_link_options(llm_flags INTERFACE -fsanitize=${sanitizers})
endif()
