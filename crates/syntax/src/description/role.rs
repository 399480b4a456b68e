//! The roles that kinds of nodes and fields play for passes, and the sections of a manifest that
//! assign them.

use std::fmt;
use std::str::FromStr;

/// The section of a manifest that assigns a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// `[names]`: which leaves are names, and where a name is visible.
    Names,
    /// `[declarations]`: functions, variables, types and their parts.
    Declarations,
    /// `[expressions]`: values, and the statements that hold them.
    Expressions,
    /// `[markup]`: elements, tags and attributes.
    Markup,
    /// `[layout]`: what stands on a line of its own.
    Layout,
    /// `[reduce]`: hints about what is worth trying early.
    Reduce,
}

/// Declares [`Role`] together with its table of sections and names.
macro_rules! roles {
    ($($section:ident { $($(#[doc = $doc:literal])+ $role:ident = $name:literal,)+ })+) => {
        /// A role that kinds of nodes play. Manifests assign kinds to roles, passes ask for roles,
        /// and neither has to know the other.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Role {
            $($($(#[doc = $doc])+ $role,)+)+
        }

        impl Role {
            /// All roles, in the order of their declaration.
            pub const ALL: &[Self] = &[$($(Self::$role,)+)+];

            /// Returns the role's name in manifests.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Self::$role => $name,)+)+
                }
            }

            /// Returns the section of a manifest that assigns the role.
            pub fn section(self) -> Section {
                match self {
                    $($(Self::$role)|+ => Section::$section,)+
                }
            }
        }
    };
}

roles! {
    Names {
        /// A leaf that is a name: equal text means the same thing.
        Identifier = "identifier",
        /// A leaf that may name another file.
        File = "file",
        /// A part whose names may be those of other files: an import.
        Module = "module",
        /// A name with the namespace or type that it stands in; the name is last.
        Qualified = "qualified",
        /// A name that means something only inside of the innermost function around it, unless it
        /// names a type: equal names in two functions have nothing to do with each other.
        Local = "local",
        /// Hides the names that are declared inside.
        Scope = "scope",
        /// Holds the name of a type that is declared there, not used.
        DeclaresType = "declares_type",
        /// A text that is one leaf although its words may be names, such as a macro with its
        /// arguments.
        Unread = "unread",
    }
    Declarations {
        /// The classes that a class is derived from.
        Bases = "bases",
        /// A list of statements in braces.
        Block = "block",
        /// A declaration of any sort.
        Declaration = "declaration",
        /// A type that is found out from a value.
        Deduced = "deduced",
        /// A declaration that neighbours of the same type can join.
        Joinable = "joinable",
        /// Makes a name known here that is declared elsewhere.
        Import = "import",
        /// Demands a template for certain arguments, and declares nothing.
        Instantiation = "instantiation",
        /// Holds declarations that are visible outside of it, too.
        Namespace = "namespace",
        /// A function with its body.
        Function = "function",
        /// A declared name with its initial value.
        Initializer = "initializer",
        /// The definition of a macro.
        Macro = "macro",
        /// A list whose elements belong to those at the same places of other such lists beside it.
        Parallel = "parallel",
        /// Says of a function of a record that a base has it as well.
        Overriding = "overriding",
        /// A parameter of a function.
        Parameter = "parameter",
        /// The parameters of a function or macro.
        Parameters = "parameters",
        /// A word about its neighbour that the grammar never needs.
        Qualifier = "qualifier",
        /// A type with members.
        Record = "record",
        /// A word about where a name is kept, and who sees it.
        Storage = "storage",
        /// A declaration with parameters for types and values.
        Template = "template",
        /// A type.
        Type = "type",
        /// The definition of a type's name.
        Typedef = "typedef",
    }
    Expressions {
        /// Names a member of the record before it.
        Access = "access",
        /// The arguments of a call.
        Arguments = "arguments",
        /// Gives a name or a place a value.
        Assignment = "assignment",
        /// A call of a function.
        Call = "call",
        /// An expression of more than one token.
        CompoundExpression = "compound_expression",
        /// Delimits what it holds, except for its first part, so that no brackets are needed there.
        Enclosing = "enclosing",
        /// Has a value.
        Expression = "expression",
        /// Holds expressions without being one.
        ExpressionList = "expression_list",
        /// A statement that consists of one expression.
        ExpressionStatement = "expression_statement",
        /// An expression that means nothing without its first part.
        NeedsOperand = "needs_operand",
        /// Leaves a function, perhaps with a value.
        Return = "return",
        /// A statement of any sort.
        Statement = "statement",
        /// An expression that needs no brackets as an operand.
        Tight = "tight",
        /// Whose operand is only looked at: nothing in it is called.
        Unevaluated = "unevaluated",
        /// Changes the value of a name or a place in terms of itself.
        Update = "update",
    }
    Markup {
        /// An attribute of an element.
        Attribute = "attribute",
        /// Stands around what a node holds, as tags stand around an element.
        Bracket = "bracket",
        /// An element of a page.
        Element = "element",
        /// A tag that readers can do without although the grammar cannot.
        Soup = "soup",
        /// Says what the elements look like that a selector fits: first the selector, last the
        /// declarations.
        StyleRule = "style_rule",
        /// Text, among which blank space means something.
        Text = "text",
    }
    Layout {
        /// Begins a line where it stands directly below a node of [`Role::Lines`] or
        /// [`Role::Indent`].
        Line = "line",
        /// Holds lines.
        Lines = "lines",
        /// Holds lines and indents them.
        Indent = "indent",
    }
    Reduce {
        /// Several alternatives, of which the later ones hang below the first.
        Conditional = "conditional",
        /// A later alternative of a [`Role::Conditional`].
        Branch = "branch",
        /// A leaf that can be shortened in itself.
        Divisible = "divisible",
        /// Worth emptying everywhere at once before looking inside.
        Hollow = "hollow",
        /// Dropped as a whole when whole items are asked for.
        Item = "item",
        /// Bytes of a binary file, which can be overwritten.
        Byte = "byte",
        /// Dropped level by level, all over the text.
        Layer = "layer",
        /// Dropped all over the text at once.
        Loose = "loose",
        /// Dropped from all over the text as one list, as long as these nodes hold most of it.
        Pool = "pool",
    }
}

impl Section {
    /// Returns the section's name in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Names => "names",
            Self::Declarations => "declarations",
            Self::Expressions => "expressions",
            Self::Markup => "markup",
            Self::Layout => "layout",
            Self::Reduce => "reduce",
        }
    }
}

/// Declares [`FieldRole`] together with its table of names.
macro_rules! field_roles {
    ($($(#[doc = $doc:literal])+ $role:ident = $name:literal,)+) => {
        /// A part of a node that passes ask for. The section `[fields]` of a manifest says what the
        /// grammar calls it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FieldRole {
            $($(#[doc = $doc])+ $role,)+
        }

        impl FieldRole {
            /// All of them, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$role,)+];

            /// Returns the name in manifests.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$role => $name,)+
                }
            }
        }
    };
}

field_roles! {
    /// The arguments of a call.
    Arguments = "arguments",
    /// The body of a function or of a record.
    Body = "body",
    /// What declares a name: the name itself, or pointers, arrays and parameters around it.
    Declarator = "declarator",
    /// The name of what is defined.
    Name = "name",
    /// The parameters of a function or a macro.
    Parameters = "parameters",
    /// The type of what is declared.
    Type = "type",
    /// The value that a name gets, or that a macro stands for.
    Value = "value",
}

/// A name that no role has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRole {
    /// The name.
    pub name: String,
    /// The names that there are.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown role `{}`; the roles are: {}", self.name, self.known.join(", "))
    }
}

impl std::error::Error for UnknownRole {}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(name: &str) -> Result<Self, UnknownRole> {
        find(name, Self::ALL, Self::name)
    }
}

impl FromStr for FieldRole {
    type Err = UnknownRole;

    fn from_str(name: &str) -> Result<Self, UnknownRole> {
        find(name, Self::ALL, Self::name)
    }
}

fn find<R: Copy>(name: &str, all: &[R], name_of: fn(R) -> &'static str) -> Result<R, UnknownRole> {
    let found = all.iter().copied().find(|&role| name_of(role) == name);
    found.ok_or_else(|| UnknownRole {
        name: name.to_owned(),
        known: all.iter().map(|&role| name_of(role)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::Role;

    #[test]
    fn roles_are_numbered_in_the_order_of_the_list_and_found_by_name() {
        for (number, &role) in Role::ALL.iter().enumerate() {
            assert_eq!(role as usize, number);
            assert_eq!(role.name().parse(), Ok(role));
        }
        let error = "functions".parse::<Role>().unwrap_err().to_string();
        assert!(error.starts_with("unknown role `functions`; the roles are: identifier, file, "));
    }
}
