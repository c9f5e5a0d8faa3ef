# What the project stands on. Each is a Debian or Ubuntu package; `make setup` installs them.
# Where a package is missing, CMake fetches a pinned release instead (this path is untested).
include(FetchContent)

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)

function(llm_find_or_fetch package url)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(STATUS "${package} is not installed: fetching ${url} (untested path; the package is better)")
    FetchContent_Declare(${package} URL ${url})
    FetchContent_MakeAvailable(${package})
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
function(llm_find_c_library target header library package)
  find_path(${target}_INCLUDE ${header})
  find_library(${target}_LIBRARY ${library})
  if(NOT ${target}_INCLUDE OR NOT ${target}_LIBRARY)
    message(FATAL_ERROR "${header} is missing: install ${package} (make setup does it)")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
endfunction()

llm_find_c_library(pcre2 pcre2.h pcre2-8 libpcre2-dev)
llm_find_c_library(utf8proc utf8proc.h utf8proc libutf8proc-dev)
