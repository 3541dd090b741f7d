//! Sets of kinds of values.

use std::ops::{BitAnd, BitOr};

/// A set of kinds; a value has exactly one of them, a constraint allows several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Kinds(pub u16);

impl Kinds {
    /// No kind: bottom.
    pub const NONE: Self = Self(0);
    /// `null`
    pub const NULL: Self = Self(1);
    /// `bool`
    pub const BOOL: Self = Self(2);
    /// `int`
    pub const INT: Self = Self(4);
    /// `float`
    pub const FLOAT: Self = Self(8);
    /// `string`
    pub const STRING: Self = Self(16);
    /// `bytes`
    pub const BYTES: Self = Self(32);
    /// A struct.
    pub const STRUCT: Self = Self(64);
    /// A list.
    pub const LIST: Self = Self(128);
    /// A function or validator.
    pub const FUNCTION: Self = Self(256);
    /// `number`
    pub const NUMBER: Self = Self(4 | 8);
    /// Everything.
    pub const TOP: Self = Self(511);
    /// Everything but structs and lists.
    pub const SCALAR: Self = Self(1 | 2 | 4 | 8 | 16 | 32);
    /// What can be ordered.
    pub const ORDERED: Self = Self(4 | 8 | 16 | 32 | 1);

    /// Whether it is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether something is in both.
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether all of `other` is in it.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both together.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it is exactly one kind.
    pub const fn is_one(self) -> bool {
        self.0.is_power_of_two()
    }
}

impl BitAnd for Kinds {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Kinds {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl std::fmt::Display for Kinds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if *self == Self::NONE {
            return f.write_str("_|_");
        }
        if self.contains(Self::TOP) {
            return f.write_str("_");
        }
        let names = [
            (Self::NULL, "null"),
            (Self::BOOL, "bool"),
            (Self::NUMBER, "number"),
            (Self::INT, "int"),
            (Self::FLOAT, "float"),
            (Self::STRING, "string"),
            (Self::BYTES, "bytes"),
            (Self::FUNCTION, "func"),
            (Self::LIST, "list"),
            (Self::STRUCT, "struct"),
        ];
        let mut rest = *self;
        let mut first = true;
        for (kind, name) in names {
            if rest.contains(kind) {
                rest = Self(rest.0 & !kind.0);
                if !first {
                    f.write_str("|")?;
                }
                first = false;
                f.write_str(name)?;
            }
        }
        Ok(())
    }
}
