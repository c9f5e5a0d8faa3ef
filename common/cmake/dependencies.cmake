# What the project stands on. Each is a Debian or Ubuntu package; `make setup` installs them.
# Where a package is missing, CMake fetches a pinned release instead (this path is untested).
include(FetchContent)

find_package(Threads REQUIRED)
if(APPLE)  # Homebrew keeps OpenMP where CMake does not look
  list(APPEND CMAKE_PREFIX_PATH /opt/homebrew/opt/libomp /usr/local/opt/libomp)
endif()
find_package(OpenMP QUIET COMPONENTS CXX)
if(NOT OpenMP_CXX_FOUND)
  message(FATAL_ERROR "OpenMP is missing for ${CMAKE_CXX_COMPILER}: install libomp-dev (clang on Debian and Ubuntu) "
                      "or libomp (Homebrew); g++ brings its own")
endif()

function(llm_fetch name url)
  message(STATUS "${name} is not installed: fetching ${url} (untested path; the package is better)")
  FetchContent_Declare(${name} URL ${url} DOWNLOAD_EXTRACT_TIMESTAMP OFF SYSTEM)
  FetchContent_MakeAvailable(${name})
endfunction()

function(llm_find_or_fetch package url)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    llm_fetch(${package} ${url})
  endif()
endfunction()

llm_find_or_fetch(Eigen3 https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.gz)
llm_find_or_fetch(nlohmann_json https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz)
llm_find_or_fetch(fmt https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz)
llm_find_or_fetch(CLI11 https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.3.2.tar.gz)
if(LLM_BUILD_TESTS)
  llm_find_or_fetch(doctest https://github.com/doctest/doctest/archive/refs/tags/v2.4.9.tar.gz)
endif()

# PCRE2 and utf8proc have no CMake package in Debian: found by header and library.
function(llm_find_c_library target header library fetched_target url)
  find_path(${target}_INCLUDE ${header})
  find_library(${target}_LIBRARY ${library})
  if(${target}_INCLUDE AND ${target}_LIBRARY)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
    target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
    return()
  endif()
  llm_fetch(${target} ${url})
  if(NOT TARGET ${target})
    add_library(${target} ALIAS ${fetched_target})
  endif()
endfunction()

set(PCRE2_SUPPORT_JIT ON CACHE BOOL "compile the tokenizers' patterns to machine code")
set(PCRE2_BUILD_PCRE2GREP OFF CACHE BOOL "")
set(PCRE2_BUILD_TESTS OFF CACHE BOOL "")
llm_find_c_library(pcre2 pcre2.h pcre2-8 pcre2-8-static
                   https://github.com/PCRE2Project/pcre2/releases/download/pcre2-10.44/pcre2-10.44.tar.gz)
llm_find_c_library(utf8proc utf8proc.h utf8proc utf8proc
                   https://github.com/JuliaStrings/utf8proc/archive/refs/tags/v2.9.0.tar.gz)
