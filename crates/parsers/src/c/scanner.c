/* As in C++, but what only C++ compilers see is never read. */

#define OF_C
#define SCANNER(function) tree_sitter_minirepro_c_external_scanner_##function
#include "../cpp/scanner.c"
