# The compiler's flags and the project's options.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set_property(GLOBAL PROPERTY USE_FOLDERS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()

option(LLM_BUILD_TESTS "Build the tests, the bench and inspect" ON)
option(LLM_WERROR "Treat warnings as errors" OFF)
option(LLM_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(LLM_FUZZ "Build the libFuzzer targets (needs clang)" OFF)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(llm_flags INTERFACE)
target_include_directories(llm_flags INTERFACE ${CMAKE_SOURCE_DIR})
# No contraction of a * b + c behind our back: the same source gives the same bits on every machine.
# Kernels that want a fused multiply-add ask for it by name.
target_compile_options(llm_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -ffp-contract=off)
if(LLM_WERROR)
  target_compile_options(llm_flags INTERFACE -Werror)
endif()
if(LLM_SANITIZE)
  target_compile_options(llm_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
  target_link_options(llm_flags INTERFACE -fsanitize=address,undefined)
endif()
