/* Tokens that no grammar can say: raw strings, directives inside of declarations and expressions,
   and words that mean something only before a bracket. It keeps no state. */

#include "tree_sitter/parser.h"

#include <string.h>

#ifndef SCANNER
#define SCANNER(function) tree_sitter_minirepro_cpp_external_scanner_##function
#endif

/* In the order of `%externals`. */
enum Token {
    RAW_STRING,
    DIRECTIVE,
    TYPE_TRAIT,
    TYPE_FUNCTION,
    MS_ASM,
    IN_ENUMERATORS,
    TEMPLATE_END,
    MACRO_MODIFIER,
    MACRO_SUFFIX,
    MACRO_LINE,
    IN_CLASS_HEAD,
    IN_PARENTHESES,
    AFTER_TYPE,
    IN_TEMPLATE_PARAMETERS,
    IDENTIFIER,
    IF,
    IFDEF,
    IFNDEF,
    ELSE,
    ELIF,
    ELIFDEF,
    ELIFNDEF,
    ENDIF,
    DEFINE,
    INCLUDE,
    OTHER_DIRECTIVE,
    LINE_END,
    END_OF_LINE,
    IN_STRING,
    IN_CHARACTER,
};

static bool is_blank(int32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

static bool is_word(int32_t c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static void advance(TSLexer *lexer) { lexer->advance(lexer, false); }

/* Goes on after a string or a character in quotes, which ends with its line. */
static void skip_quoted(TSLexer *lexer) {
    int32_t quote = lexer->lookahead;
    advance(lexer);
    while (!lexer->eof(lexer) && lexer->lookahead != quote && lexer->lookahead != '\n') {
        if (lexer->lookahead == '\\') {
            advance(lexer);
        }
        advance(lexer);
    }
    if (lexer->lookahead == quote) {
        advance(lexer);
    }
}

/* Goes on after a comment whose first slash was read; `false` if it is none. */
static bool skip_comment(TSLexer *lexer) {
    if (lexer->lookahead == '/') {
        while (!lexer->eof(lexer) && lexer->lookahead != '\n') {
            if (lexer->lookahead == '\\') {
                advance(lexer);
            }
            advance(lexer);
        }
        return true;
    }
    if (lexer->lookahead != '*') {
        return false;
    }
    advance(lexer);
    for (int32_t before = 0; !lexer->eof(lexer); advance(lexer)) {
        if (before == '*' && lexer->lookahead == '/') {
            advance(lexer);
            return true;
        }
        before = lexer->lookahead;
    }
    return true;
}

/* Goes on to the end of the line, and of those that it goes on in. */
static void skip_line(TSLexer *lexer) {
    while (!lexer->eof(lexer) && lexer->lookahead != '\n') {
        if (lexer->lookahead == '\\') {
            advance(lexer);
        } else if (lexer->lookahead == '/') {
            advance(lexer);
            skip_comment(lexer);
            continue;
        }
        advance(lexer);
    }
}

/* Goes on after what stands in brackets. */
static void skip_brackets(TSLexer *lexer, int32_t open, int32_t close) {
    unsigned depth = 0;
    while (!lexer->eof(lexer)) {
        if (lexer->lookahead == open) {
            depth += 1;
        } else if (lexer->lookahead == close) {
            depth -= 1;
        } else if (lexer->lookahead == '"' || lexer->lookahead == '\'') {
            skip_quoted(lexer);
            continue;
        }
        advance(lexer);
        if (depth == 0) {
            return;
        }
    }
}

static void skip_blank_in_line(TSLexer *lexer) {
    while (is_blank(lexer->lookahead)) {
        advance(lexer);
    }
}

static void skip_blank(TSLexer *lexer) {
    while (is_blank(lexer->lookahead) || lexer->lookahead == '\n') {
        advance(lexer);
    }
}

/* Reads a word into the buffer, which ends it; longer words are cut. Returns how long it is. */
static unsigned read_word(TSLexer *lexer, char *word, unsigned size) {
    unsigned length = 0;
    for (; is_word(lexer->lookahead); length++) {
        if (length + 1 < size) {
            word[length] = (char)lexer->lookahead;
        }
        advance(lexer);
    }
    word[length < size ? length : size - 1] = '\0';
    return length;
}

static bool is_one_of(const char *word, const char *const *words) {
    for (; *words; words++) {
        if (strcmp(word, *words) == 0) {
            return true;
        }
    }
    return false;
}

/* After the prefix of a raw string: what stands between two equal delimiters. */
static bool scan_raw_string(TSLexer *lexer) {
    int32_t delimiter[16];
    unsigned length = 0;
    advance(lexer);
    while (lexer->lookahead != '(') {
        if (length == 16 || lexer->eof(lexer) || lexer->lookahead == '"' || lexer->lookahead == '\n') {
            return false;
        }
        delimiter[length++] = lexer->lookahead;
        advance(lexer);
    }
    while (!lexer->eof(lexer)) {
        if (lexer->lookahead != ')') {
            advance(lexer);
            continue;
        }
        advance(lexer);
        unsigned same = 0;
        while (same < length && lexer->lookahead == delimiter[same]) {
            same += 1;
            advance(lexer);
        }
        if (same == length && lexer->lookahead == '"') {
            advance(lexer);
            lexer->mark_end(lexer);
            lexer->result_symbol = RAW_STRING;
            return true;
        }
    }
    return false;
}

static bool may_begin_word(int32_t c) { return is_word(c) && !(c >= '0' && c <= '9'); }

/* Whether a word looks like the name of a macro: some capitals. */
static bool is_loud(const char *word) {
    unsigned length = 0;
    while (*word == '_') {
        word++;
    }
    for (; *word; word++, length++) {
        if (!((*word >= 'A' && *word <= 'Z') || *word == '_' || (length > 0 && *word >= '0' && *word <= '9'))) {
            return false;
        }
    }
    return length > 3;
}

/* Whether a word looks like the name of a macro that says whether a pointer may be null: `some_nonnull`. */
static bool is_about_null(const char *word) {
    static const char *const ends[] = {"_nonnull", "_nullable", "_nullability_unknown", NULL};
    for (const char *const *end = ends; *end; end++) {
        size_t length = strlen(word);
        if (length > strlen(*end) && strcmp(word + length - strlen(*end), *end) == 0) {
            return true;
        }
    }
    return false;
}

/* Which directive a word after `#` begins. */
static enum Token directive(const char *word) {
    static const char *const words[] = {
        "if", "ifdef", "ifndef", "else", "elif", "elifdef", "elifndef", "endif", "define", "include",
    };
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) == 0) {
            return (enum Token)(IF + i);
        }
    }
    return OTHER_DIRECTIVE;
}

/* What was found where some text of a condition ends. */
struct Branch {
    /* The directive that ends it. */
    enum Token end;
    /* It is a list of whole items. */
    bool is_whole;
};

/* Reads on to the `#else`, `#elif` or `#endif` of the condition that we are in; with `marks`, the
   token ends before its line. */
static struct Branch skip_branch(TSLexer *lexer, bool in_enumerators, bool marks) {
    char word[64];
    unsigned conditions = 0;
    int depth = 0;
    struct Branch branch = {ENDIF, true};
    bool line_begins = true, is_first = true;
    int32_t last = ';';
    while (!lexer->eof(lexer)) {
        int32_t c = lexer->lookahead;
        if (c == '\n') {
            if (conditions == 0 && marks) {
                lexer->mark_end(lexer);
            }
            line_begins = true;
            advance(lexer);
        } else if (is_blank(c)) {
            advance(lexer);
        } else if (c == '#' && line_begins) {
            advance(lexer);
            while (is_blank(lexer->lookahead)) {
                advance(lexer);
            }
            read_word(lexer, word, sizeof word);
            enum Token kind = directive(word);
            if (kind >= ELSE && kind <= ENDIF && conditions == 0) {
                branch.end = kind;
                branch.is_whole = branch.is_whole && depth == 0
                    && (last == ';' || last == '}' || last == ':' || (last == ',' && in_enumerators));
                return branch;
            }
            if (kind >= IF && kind <= IFNDEF) {
                conditions += 1;
            } else if (kind == ENDIF) {
                conditions -= 1;
            }
            skip_line(lexer);
        } else if (c == '"' || c == '\'') {
            skip_quoted(lexer);
            last = conditions == 0 ? c : last;
            line_begins = false;
        } else if (c == '/') {
            advance(lexer);
            if (!skip_comment(lexer)) {
                last = conditions == 0 ? c : last;
                line_begins = false;
            }
        } else {
            /* Of nested conditions only the first branch could be counted: they are whole by themselves. */
            if (conditions == 0) {
                depth += (c == '{' || c == '(') - (c == '}' || c == ')');
                branch.is_whole = branch.is_whole && depth >= 0;
                last = c;
            }
            bool begins_line = line_begins;
            line_begins = false;
            if (may_begin_word(c)) {
                read_word(lexer, word, sizeof word);
                if (conditions == 0) {
                    /* A statement goes on. */
                    branch.is_whole = branch.is_whole && !(is_first && strcmp(word, "else") == 0);
                    /* A macro in a line of its own is an item. */
                    last = begins_line && is_loud(word) ? ';' : c;
                }
            } else if (is_word(c)) {
                /* A quote in a number is none. */
                while (is_word(lexer->lookahead) || lexer->lookahead == '\'') {
                    advance(lexer);
                }
            } else {
                advance(lexer);
            }
            is_first = false;
        }
    }
    branch.is_whole = false;
    return branch;
}

/* Whether a statement goes on after a directive, and after a few more: what is left of a preprocessed
   text may have thousands of them in a row, and this is asked at each. */
static bool comes_before_else(TSLexer *lexer) {
    char word[8];
    skip_blank(lexer);
    for (unsigned lines = 0; lines < 16 && lexer->lookahead == '#'; lines++) {
        skip_line(lexer);
        skip_blank(lexer);
    }
    if (lexer->lookahead != 'e') {
        return false;
    }
    read_word(lexer, word, sizeof word);
    return strcmp(word, "else") == 0;
}

/* Whether a condition never holds, so that what follows need not be in the language: it is the
   number 0, or asks in C whether this is C++. */
static bool is_never(TSLexer *lexer, enum Token kind) {
    skip_blank_in_line(lexer);
    if (kind == IF && lexer->lookahead == '0') {
        advance(lexer);
        skip_blank_in_line(lexer);
        return lexer->lookahead == '\n' || lexer->lookahead == '/';
    }
#ifdef OF_C
    char word[16];
    read_word(lexer, word, sizeof word);
    if (kind == IF) {
        if (strcmp(word, "defined") != 0) {
            return false;
        }
        while (is_blank(lexer->lookahead) || lexer->lookahead == '(') {
            advance(lexer);
        }
        read_word(lexer, word, sizeof word);
    }
    if (kind == IFNDEF || strcmp(word, "__cplusplus") != 0) {
        return false;
    }
    while (is_blank(lexer->lookahead) || lexer->lookahead == ')') {
        advance(lexer);
    }
    return lexer->lookahead != '|';
#else
    return false;
#endif
}

/* At a `#` that begins a directive. Where the grammar has a place for it and what it encloses are
   whole items, it is for the grammar; otherwise its line is a comment, and so are all branches but
   the first one. */
static bool scan_directive(TSLexer *lexer, const bool *valid) {
    char word[16];
    advance(lexer);
    while (is_blank(lexer->lookahead)) {
        advance(lexer);
    }
    if (lexer->lookahead == '#') {
        return false;
    }
    read_word(lexer, word, sizeof word);
    enum Token kind = directive(word);
    bool is_condition = kind >= IF && kind <= IFNDEF;
    bool never = is_condition && is_never(lexer, kind);
    skip_line(lexer);
    lexer->mark_end(lexer);
    lexer->result_symbol = DIRECTIVE;
    if (never) {
        struct Branch branch = skip_branch(lexer, valid[IN_ENUMERATORS], false);
        /* After another branch, the `#endif` would be that of a condition around this one. */
        if (branch.end != ENDIF && valid[ENDIF] && valid[kind] && branch.is_whole) {
            return false;
        }
        skip_line(lexer);
        lexer->mark_end(lexer);
        return true;
    }
    if (valid[kind] && *word) {
        return is_condition ? !skip_branch(lexer, valid[IN_ENUMERATORS], false).is_whole : comes_before_else(lexer);
    }
    if (kind >= ELSE && kind < ENDIF) {
        while (skip_branch(lexer, false, true).end != ENDIF && !lexer->eof(lexer)) {
            skip_line(lexer);
        }
    }
    return true;
}

/* Whether a word is like that up to a few letters at its end. */
static bool begins_loud(const char *word) {
    unsigned length = 0;
    bool has_parts = false;
    for (; (*word >= 'A' && *word <= 'Z') || *word == '_'; word++, length++) {
        has_parts = has_parts || (*word == '_' && length > 3);
    }
    return has_parts;
}

/* Goes on after blank space and comments; returns whether a line ended. */
static bool skip_to_text(TSLexer *lexer) {
    bool line_ended = false;
    while (true) {
        if (lexer->lookahead == '\n') {
            line_ended = true;
            advance(lexer);
        } else if (is_blank(lexer->lookahead)) {
            advance(lexer);
        } else if (lexer->lookahead == '/') {
            advance(lexer);
            if (!skip_comment(lexer)) {
                return line_ended;
            }
        } else {
            return line_ended;
        }
    }
}

/* What follows the name of a macro. */
enum Follower {
    NOTHING_KNOWN,
    /* A declaration that needs no further words before it. */
    A_DECLARATION,
    /* A word that cannot be a name. */
    A_KEYWORD,
    /* The name of a class, or of another macro. */
    A_NAME,
};

static bool ends_items(TSLexer *lexer) {
    return lexer->lookahead == '}' || lexer->lookahead == '#' || lexer->eof(lexer);
}

/* At the parameters of a function: whether it is a constructor that says how members begin. */
static bool has_initializers(TSLexer *lexer) {
    char word[64];
    skip_brackets(lexer, '(', ')');
    skip_to_text(lexer);
    while (may_begin_word(lexer->lookahead)) {
        read_word(lexer, word, sizeof word);
        skip_to_text(lexer);
        if (lexer->lookahead == '(') {
            skip_brackets(lexer, '(', ')');
            skip_to_text(lexer);
        }
    }
    if (lexer->lookahead != ':') {
        return false;
    }
    advance(lexer);
    return lexer->lookahead != ':';
}

/* Looks at what follows a macro, without its arguments. */
static enum Follower follower(TSLexer *lexer) {
    static const char *const types[] = {
        "auto", "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void", "decltype",
        "wchar_t", "char8_t", "char16_t", "char32_t", "typename", "class", "struct", "union", "enum", "template",
        "explicit", "virtual", "friend", "typedef", NULL,
    };
    static const char *const qualifiers[] = {
        "const", "constexpr", "consteval", "constinit", "static", "volatile", "inline", "extern", "mutable",
        "thread_local", "register", "__inline", "__inline__", "__forceinline", NULL,
    };
    static const char *const others[] = {
        "namespace", "using", "public", "private", "protected", "static_assert", "concept", "export", "return", "if",
        "for", "while", "do", "switch", "case", "default", "break", "continue", "goto", "try", "throw", "else", NULL,
    };
    char word[64], before[64] = "";
    while (may_begin_word(lexer->lookahead)) {
        read_word(lexer, word, sizeof word);
        if (is_one_of(word, types)) {
            return A_DECLARATION;
        }
        if (strcmp(word, "operator") == 0) {
            /* What turns a value into another type has no type before it. */
            skip_to_text(lexer);
            return may_begin_word(lexer->lookahead) ? A_DECLARATION : NOTHING_KNOWN;
        }
        if (is_one_of(word, others)) {
            return A_KEYWORD;
        }
        skip_to_text(lexer);
        if (is_one_of(word, qualifiers)) {
            continue;
        }
        if (is_loud(word) && lexer->lookahead == '(') {
            skip_brackets(lexer, '(', ')');
            skip_to_text(lexer);
            if (ends_items(lexer)) {
                return A_KEYWORD;
            }
            continue;
        }
        if (is_loud(word) && may_begin_word(lexer->lookahead)) {
            continue;
        }
        if (is_loud(word) && ends_items(lexer)) {
            return A_KEYWORD;
        }
        /* The name of a type, which may be long. */
        bool is_qualified = false;
        while (lexer->lookahead == ':' || lexer->lookahead == '<') {
            if (lexer->lookahead == '<') {
                skip_brackets(lexer, '<', '>');
                skip_to_text(lexer);
                continue;
            }
            advance(lexer);
            if (lexer->lookahead != ':') {
                return A_NAME;
            }
            advance(lexer);
            skip_to_text(lexer);
            is_qualified = true;
            if (lexer->lookahead == '~') {
                return A_DECLARATION;
            }
            strcpy(before, word);
            read_word(lexer, word, sizeof word);
            if (strcmp(word, "operator") == 0) {
                return A_DECLARATION;
            }
            skip_to_text(lexer);
        }
        if (lexer->lookahead == '(') {
            return (is_qualified && strcmp(before, word) == 0) || has_initializers(lexer) ? A_DECLARATION : A_NAME;
        }
        while (lexer->lookahead == '*' || lexer->lookahead == '&') {
            advance(lexer);
            skip_to_text(lexer);
        }
        bool has_name = may_begin_word(lexer->lookahead) || lexer->lookahead == '~';
        return has_name ? A_DECLARATION : A_NAME;
    }
    return lexer->lookahead == '~' ? A_DECLARATION : NOTHING_KNOWN;
}

/* Goes on after the name of a class, with other macros before it. */
static void skip_name(TSLexer *lexer) {
    char word[64];
    while (may_begin_word(lexer->lookahead)) {
        read_word(lexer, word, sizeof word);
        skip_to_text(lexer);
        if (lexer->lookahead == '(' && is_loud(word)) {
            skip_brackets(lexer, '(', ')');
            skip_to_text(lexer);
        }
        if (lexer->lookahead == '<') {
            skip_brackets(lexer, '<', '>');
            skip_to_text(lexer);
        }
    }
}

/* After the name of what may be a macro that stands for attributes, or for whole declarations. If a line
   begins with it, `width` characters of that have been read. */
static bool scan_macro(TSLexer *lexer, const char *name, const bool *valid, bool line_begins, unsigned width) {
    static const char *const postfixes[] = {
        "const", "volatile", "noexcept", "override", "final", "throw", "try", "requires", "__attribute__", "asm",
        "__asm__", "mutable", NULL,
    };
    lexer->mark_end(lexer);
    for (; is_blank(lexer->lookahead); width++) {
        advance(lexer);
    }
    /* To tell the column, the lexer reads the line from its beginning, and a line may be the whole text. */
    bool may_be_alone = lexer->lookahead == '\n' || lexer->lookahead == '(' || lexer->lookahead == '/';
    if (valid[MACRO_LINE] && !line_begins && may_be_alone) {
        line_begins = lexer->get_column(lexer) == width;
    }
    bool line_ended = skip_to_text(lexer);
    bool has_arguments = lexer->lookahead == '(' && !line_ended;
    if (has_arguments) {
        skip_brackets(lexer, '(', ')');
        lexer->mark_end(lexer);
        line_ended = skip_to_text(lexer);
    }
    int32_t c = lexer->lookahead;
    if (valid[IN_TEMPLATE_PARAMETERS] && has_arguments && (c == ',' || c == '>')) {
        lexer->result_symbol = MACRO_SUFFIX;
        return true;
    }
    if (!is_loud(name)) {
        lexer->result_symbol = MACRO_LINE;
        return valid[MACRO_LINE] && line_ended && has_arguments && (ends_items(lexer) || may_begin_word(c));
    }
    if (valid[MACRO_SUFFIX] && !valid[IDENTIFIER]) {
        lexer->result_symbol = MACRO_SUFFIX;
        return c == ';' || c == '{' || c == ':' || c == '=' || c == ',' || c == ')' || c == '-' || may_begin_word(c);
    }
    if (valid[IN_CLASS_HEAD]) {
        lexer->result_symbol = MACRO_MODIFIER;
        if (c == '[') {
            return true;
        }
        if (!may_begin_word(c)) {
            return false;
        }
        skip_name(lexer);
        return lexer->lookahead == '{' || lexer->lookahead == ':';
    }
    if (valid[AFTER_TYPE] && may_begin_word(c)) {
        /* With arguments it may also be the name of a function. */
        char word[64];
        lexer->result_symbol = MACRO_MODIFIER;
        read_word(lexer, word, sizeof word);
        return !has_arguments || !(is_loud(word) || is_one_of(word, postfixes));
    }
    if (valid[MACRO_MODIFIER] && c == '*' && !has_arguments) {
        lexer->result_symbol = MACRO_MODIFIER;
        return valid[IN_PARENTHESES];
    }
    bool ends_declarations = ends_items(lexer) || c == '[';
    enum Follower next = follower(lexer);
    /* In a line of its own it may stand for anything, such as the head of a namespace. */
    bool is_alone = valid[MACRO_LINE] && line_begins && line_ended;
    if (valid[MACRO_MODIFIER] && next == A_DECLARATION && !is_alone) {
        lexer->result_symbol = MACRO_MODIFIER;
        return true;
    }
    if (valid[MACRO_LINE] && (line_ended || next == A_KEYWORD)) {
        lexer->result_symbol = MACRO_LINE;
        return ends_declarations || next == A_KEYWORD || next == A_DECLARATION || (has_arguments && next == A_NAME);
    }
    return false;
}

#ifdef OF_C
/* After a word in small letters at the beginning of a declaration: whether it is a macro, since a
   type cannot follow the name of a type, nor two names: `local int f(`, `local block f(`. */
static bool is_before_type(TSLexer *lexer, const char *first) {
    static const char *const keywords[] = {
        "auto", "break", "case", "const", "constexpr", "continue", "default", "do", "else", "enum", "extern", "for",
        "goto", "if", "inline", "register", "restrict", "return", "sizeof", "static", "struct", "switch", "typedef",
        "typeof", "union", "volatile", "while", "asm", "defined", NULL,
    };
    static const char *const types[] = {
        "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void", NULL,
    };
    static const char *const specifiers[] = {"struct", "union", "enum", "static", "extern", "inline", NULL};
    char word[64];
    if (*first == '_' || is_one_of(first, keywords) || is_one_of(first, types)) {
        return false;
    }
    lexer->mark_end(lexer);
    skip_to_text(lexer);
    if (!may_begin_word(lexer->lookahead) || lexer->lookahead == '_') {
        return false;
    }
    read_word(lexer, word, sizeof word);
    if (is_one_of(word, types) || is_one_of(word, specifiers)) {
        return true;
    }
    if (is_one_of(word, keywords)) {
        return false;
    }
    skip_to_text(lexer);
    while (lexer->lookahead == '*') {
        advance(lexer);
        skip_to_text(lexer);
    }
    if (!may_begin_word(lexer->lookahead) || lexer->lookahead == '_') {
        return false;
    }
    read_word(lexer, word, sizeof word);
    skip_to_text(lexer);
    return lexer->lookahead == '(' && !is_loud(word) && !is_one_of(word, keywords);
}
#endif

static bool scan_word(TSLexer *lexer, const bool *valid, bool line_begins, unsigned blanks) {
    static const char *const raw[] = {"R", "LR", "uR", "UR", "u8R", NULL};
    static const char *const pragmas[] = {"_Pragma", "__pragma", NULL};
    static const char *const traits[] = {
        "typeid", "va_arg", "__builtin_va_arg", "__builtin_bit_cast", "__builtin_types_compatible_p",
        "__builtin_offsetof", "__reference_binds_to_temporary", "__reference_constructs_from_temporary",
        "__reference_converts_from_temporary", "__array_rank", "__array_extent", NULL,
    };
    static const char *const functions[] = {
        "typeof", "__typeof", "__typeof__", "typeof_unqual", "_Atomic", "_BitInt", "__decay",
        "__underlying_type", "__add_lvalue_reference", "__add_pointer", "__add_rvalue_reference",
        "__make_signed", "__make_unsigned", "__remove_all_extents", "__remove_const", "__remove_cv",
        "__remove_cvref", "__remove_extent", "__remove_pointer", "__remove_reference",
        "__remove_reference_t", "__remove_restrict", "__remove_volatile", "__type_pack_element", NULL,
    };
    char word[64];
    unsigned width = blanks + read_word(lexer, word, sizeof word);
    if (valid[RAW_STRING] && lexer->lookahead == '"' && is_one_of(word, raw)) {
        return scan_raw_string(lexer);
    }
    if (valid[DIRECTIVE] && is_one_of(word, pragmas)) {
        skip_blank(lexer);
        if (lexer->lookahead != '(') {
            return false;
        }
        skip_brackets(lexer, '(', ')');
        lexer->mark_end(lexer);
        lexer->result_symbol = DIRECTIVE;
        return true;
    }
    bool is_trait = strncmp(word, "__is_", 5) == 0 || strncmp(word, "__has_", 6) == 0 || is_one_of(word, traits);
    if (valid[TYPE_TRAIT] && is_trait) {
        lexer->result_symbol = TYPE_TRAIT;
    } else if (valid[TYPE_FUNCTION] && is_one_of(word, functions)) {
        lexer->result_symbol = TYPE_FUNCTION;
    } else if (valid[MS_ASM] && strcmp(word, "__asm") == 0) {
        lexer->result_symbol = MS_ASM;
        while (is_blank(lexer->lookahead)) {
            advance(lexer);
        }
        if (lexer->lookahead == '{') {
            skip_brackets(lexer, '{', '}');
        } else if (lexer->lookahead >= 'a' && lexer->lookahead <= 'z') {
            read_word(lexer, word, sizeof word);
            if (strcmp(word, "volatile") == 0 || strcmp(word, "goto") == 0) {
                return false;
            }
            skip_line(lexer);
        } else {
            return false;
        }
        lexer->mark_end(lexer);
        return true;
    } else if ((valid[MACRO_MODIFIER] || valid[MACRO_SUFFIX] || valid[MACRO_LINE]) && (is_loud(word) || begins_loud(word))) {
        return scan_macro(lexer, word, valid, line_begins, width);
    } else if (valid[AFTER_TYPE] && is_about_null(word)) {
        /* The name of a variable may look so, too. */
        lexer->mark_end(lexer);
        lexer->result_symbol = MACRO_MODIFIER;
        skip_to_text(lexer);
        return may_begin_word(lexer->lookahead);
    } else {
#ifdef OF_C
        lexer->result_symbol = MACRO_MODIFIER;
        return valid[MACRO_MODIFIER] && !valid[TEMPLATE_END] && is_before_type(lexer, word);
#else
        return false;
#endif
    }
    lexer->mark_end(lexer);
    skip_blank(lexer);
    return lexer->lookahead == '(';
}

void *SCANNER(create)(void) { return NULL; }

void SCANNER(destroy)(void *scanner) { (void)scanner; }

unsigned SCANNER(serialize)(void *scanner, char *buffer) {
    (void)scanner;
    (void)buffer;
    return 0;
}

void SCANNER(deserialize)(void *scanner, const char *buffer, unsigned length) {
    (void)scanner;
    (void)buffer;
    (void)length;
}

bool SCANNER(scan)(void *scanner, TSLexer *lexer, const bool *valid) {
    (void)scanner;
    /* After an error everything is valid, and nothing can be known. */
    bool after_error = valid[IF] && valid[MS_ASM] && valid[TYPE_FUNCTION] && valid[ENDIF] && valid[INCLUDE]
        && valid[RAW_STRING] && valid[ELIFNDEF];
    if (!after_error && (valid[IN_STRING] || valid[IN_CHARACTER])) {
        return false;
    }
    unsigned blanks = 0;
    bool line_begins = false;
    for (; is_blank(lexer->lookahead) || lexer->lookahead == '\n'; blanks += 1) {
        if (lexer->lookahead == '\n') {
            if (!after_error && (valid[LINE_END] || valid[END_OF_LINE])) {
                return false;
            }
            line_begins = true;
        }
        lexer->advance(lexer, true);
    }
    int32_t c = lexer->lookahead;
    if (c == '#') {
        line_begins = line_begins || lexer->get_column(lexer) == blanks;
        return valid[DIRECTIVE] && !after_error && line_begins && scan_directive(lexer, valid);
    }
    if (c == '>' && valid[TEMPLATE_END]) {
        /* Two of them are not one token here, but one and a `=` are. */
        advance(lexer);
        lexer->mark_end(lexer);
        lexer->result_symbol = TEMPLATE_END;
        return lexer->lookahead != '=';
    }
    bool may_begin = c == '_' || c == 'u' || c == 't' || c == 'v' || (c >= 'A' && c <= 'Z')
        || (valid[AFTER_TYPE] && may_begin_word(c));
#ifdef OF_C
    may_begin = may_begin || (may_begin_word(c) && valid[MACRO_MODIFIER]);
#endif
    if (!may_begin) {
        return false;
    }
    return scan_word(lexer, valid, line_begins, blanks);
}
