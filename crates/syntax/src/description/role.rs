//! The roles that kinds of nodes and fields play for passes.

use serde::{Deserialize, Serialize};
use strum::{EnumMessage, EnumString, IntoStaticStr, VariantArray};

/// Declares roles that manifests and rules write in small letters.
macro_rules! roles {
    ($($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])* $role:ident,)+ })+) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(Deserialize, Serialize, EnumMessage, EnumString, IntoStaticStr, VariantArray)]
        #[serde(rename_all = "snake_case")]
        #[strum(serialize_all = "snake_case")]
        pub enum $name {
            $($(#[$meaning])* $role,)+
        }

        impl $name {
            /// All of them, in the order of their declaration.
            pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

            /// Returns its name in manifests.
            pub fn name(self) -> &'static str {
                self.into()
            }

            /// Returns its meaning in words.
            pub fn meaning(self) -> &'static str {
                self.get_documentation().unwrap_or_default()
            }
        }
    )+};
}

roles! {
    /// A role that kinds of nodes play. Manifests assign kinds to roles, passes ask for roles, and
    /// neither has to know the other.
    Role {
        /// A leaf that is a name: equal text means the same thing.
        Identifier,
        /// A leaf that may name another file.
        File,
        /// A part whose names may be those of other files: an import.
        Module,
        /// A name with the namespace or type that it stands in; the name is last.
        Qualified,
        /// A name that means something only inside of the innermost function around it, unless it
        /// names a type: equal names in two functions have nothing to do with each other.
        Local,
        /// Hides the names that are declared inside.
        Scope,
        /// Holds the name of a type that is declared there, not used.
        DeclaresType,
        /// A text that is one leaf although its words may be names, such as a macro with its
        /// arguments.
        Unread,
        /// A list of statements in braces.
        Block,
        /// A declaration of any sort.
        Declaration,
        /// A type that is found out from a value.
        Deduced,
        /// A declaration that neighbours of the same type can join.
        Joinable,
        /// Makes a name known here that is declared elsewhere.
        Import,
        /// Demands a template for certain arguments, and declares nothing.
        Instantiation,
        /// Holds declarations that are visible outside of it, too.
        Namespace,
        /// A function with its body.
        Function,
        /// A declared name with its initial value.
        Initializer,
        /// The definition of a macro.
        Macro,
        /// A list whose elements belong to those at the same places of other such lists beside it.
        Parallel,
        /// Says of a function of a record that a base has it as well.
        Overriding,
        /// A parameter of a function.
        Parameter,
        /// The parameters of a function or macro.
        Parameters,
        /// A word about its neighbour that the grammar never needs.
        Qualifier,
        /// A type with members.
        Record,
        /// A declaration with parameters for types and values.
        Template,
        /// A type.
        Type,
        /// The definition of a type's name.
        Typedef,
        /// Names a member of the record before it.
        Access,
        /// The arguments of a call.
        Arguments,
        /// Gives a name or a place a value.
        Assignment,
        /// A call of a function.
        Call,
        /// An expression of more than one token.
        CompoundExpression,
        /// Delimits what it holds, except for its first part, so that no brackets are needed there.
        Enclosing,
        /// Has a value.
        Expression,
        /// Holds expressions without being one.
        ExpressionList,
        /// A statement that consists of one expression.
        ExpressionStatement,
        /// An expression that means nothing without its first part.
        NeedsOperand,
        /// Leaves a function, perhaps with a value.
        Return,
        /// A statement of any sort.
        Statement,
        /// An expression that needs no brackets as an operand.
        Tight,
        /// Changes the value of a name or a place in terms of itself.
        Update,
        /// An attribute of an element.
        Attribute,
        /// A word of the grammar although it has a name of its own: goes with what needs it.
        Keyword,
        /// Stands around what a node holds, as tags stand around an element.
        Bracket,
        /// An element of a page.
        Element,
        /// A tag that readers can do without although the grammar cannot.
        Soup,
        /// Says what the elements look like that a selector fits: first the selector, last the
        /// declarations.
        StyleRule,
        /// Text, among which blank space means something.
        Text,
        /// Begins a line where it stands directly below a node of `lines` or `indent`.
        Line,
        /// Holds lines.
        Lines,
        /// Holds lines and indents them.
        Indent,
        /// Several alternatives, of which the later ones hang below the first.
        Conditional,
        /// A later alternative of a `conditional`.
        Branch,
        /// A leaf that can be shortened in itself.
        Divisible,
        /// Worth emptying everywhere at once before looking inside.
        Hollow,
        /// Dropped as a whole when whole items are asked for.
        Item,
        /// Bytes of a binary file, which can be overwritten.
        Byte,
        /// Dropped level by level, all over the text.
        Layer,
        /// Dropped all over the text at once.
        Loose,
        /// Dropped from all over the text as one list, as long as these nodes hold most of it.
        Pool,
    }

    /// A part of a node that passes ask for. The section `[fields]` of a manifest says what the
    /// grammar calls it.
    FieldRole {
        /// The arguments of a call.
        Arguments,
        /// The body of a function or of a record.
        Body,
        /// What declares a name: the name itself, or pointers, arrays and parameters around it.
        Declarator,
        /// The name of what is defined.
        Name,
        /// The parameters of a function or a macro.
        Parameters,
        /// The type of what is declared.
        Type,
        /// The value that a name gets, or that a macro stands for.
        Value,
    }
}
