//! Reductions of values, by a form that consists of bytes.

use std::any::type_name;

use crate::{Error, Outcome, Reduced, Reduction};

/// A request to reduce a value: [`Reduction::of`] and [`Reduction::of_arbitrary`] make one.
///
/// ```
/// use minirepro::Reduction;
///
/// #[derive(Debug, serde::Serialize, serde::Deserialize)]
/// struct Order {
///     customer: String,
///     items: Vec<(String, u32)>,
/// }
///
/// let items = (0..100).map(|number| (format!("item {number}"), number)).collect();
/// let order = Order { customer: "somebody".to_owned(), items };
/// let fails = |order: &Order| order.items.iter().any(|(_, price)| *price > 90);
/// let reduced = Reduction::of(&order)?.run(fails)?;
/// assert_eq!(reduced.value.items.len(), 1);
/// assert!(reduced.as_rust().starts_with("serde_json::from_str::<"));
/// # Ok::<(), minirepro::Error>(())
/// ```
#[must_use]
pub struct ValueReduction<'a, T> {
    reduction: Reduction<'a>,
    /// Reads a value from bytes.
    read: fn(&[u8]) -> Option<T>,
    /// Returns a Rust expression.
    source: fn(&[u8], &str) -> String,
}

/// The result of a reduction of a value.
///
/// ```
/// use minirepro::Reduction;
///
/// let numbers: Vec<i64> = (0..1_000).collect();
/// let reduced = Reduction::of(&numbers)?.run(|numbers: &Vec<i64>| numbers.len() >= 3)?;
/// assert_eq!(reduced.value, [0, 0, 0]);
/// # Ok::<(), minirepro::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct ReducedValue<T> {
    /// The smallest value that fails.
    pub value: T,
    /// The bytes of which it is made, and the figures.
    pub reduced: Reduced,
    source: fn(&[u8], &str) -> String,
}

impl<T> ReducedValue<T> {
    /// Returns a Rust expression for the value, to paste into a test.
    pub fn as_rust(&self) -> String {
        (self.source)(&self.reduced.bytes, type_name::<T>())
    }
}

impl Reduction<'_> {
    /// Makes a request for a value, which is reduced in its JSON form: what no longer has the
    /// value's type is never tested.
    ///
    /// # Errors
    /// If it has no JSON form that can be read back.
    #[cfg(feature = "serde")]
    pub fn of<T>(value: &T) -> Result<ValueReduction<'static, T>, Error>
    where
        T: serde::Serialize + serde::de::DeserializeOwned,
    {
        let json = serde_json::to_vec(value)?;
        serde_json::from_slice::<T>(&json)?;
        Ok(ValueReduction {
            reduction: Reduction::new(json).language("json"),
            read: |json| serde_json::from_slice(json).ok(),
            source: |json, type_name| {
                let text = String::from_utf8_lossy(json);
                let text = crate::text::source::string(text.trim());
                format!("serde_json::from_str::<{type_name}>({text}).unwrap()")
            },
        })
    }

    /// Makes a request for the value that `arbitrary` makes of bytes, as in a target of
    /// `cargo fuzz`: bytes of which it makes none are never tested.
    ///
    /// # Errors
    /// If it makes no value of these bytes.
    #[cfg(feature = "arbitrary")]
    pub fn of_arbitrary<T>(bytes: &[u8]) -> Result<ValueReduction<'static, T>, Error>
    where
        T: for<'b> arbitrary::Arbitrary<'b>,
    {
        T::arbitrary_take_rest(arbitrary::Unstructured::new(bytes))?;
        Ok(ValueReduction {
            reduction: Reduction::new(bytes).language("bytes"),
            read: |bytes| T::arbitrary_take_rest(arbitrary::Unstructured::new(bytes)).ok(),
            source: |bytes, type_name| {
                let bytes = crate::text::source::byte_string(bytes);
                format!(
                    "<{type_name} as arbitrary::Arbitrary>::arbitrary_take_rest(\
                     arbitrary::Unstructured::new({bytes})).unwrap()"
                )
            },
        })
    }
}

impl<'a, T> ValueReduction<'a, T> {
    /// Says more about how to reduce: budget, panics, child processes.
    pub fn with(mut self, change: impl FnOnce(Reduction<'a>) -> Reduction<'a>) -> Self {
        self.reduction = change(self.reduction);
        self
    }

    /// Takes a panic of the test for the failure, see [`Reduction::panics`].
    pub fn panics(self) -> Self {
        self.with(Reduction::panics)
    }

    /// Takes a panic for the failure whose message contains this, see [`Reduction::panics_with`].
    pub fn panics_with(self, message: impl Into<String>) -> Self {
        self.with(|reduction| reduction.panics_with(message))
    }

    /// Reduces the value.
    ///
    /// # Errors
    /// As [`Reduction::run`].
    pub fn run<A: Into<Outcome>>(
        self,
        mut test: impl FnMut(&T) -> A,
    ) -> Result<ReducedValue<T>, Error> {
        let Self { reduction, read, source } = self;
        let reduced = reduction.run(|bytes| match read(bytes) {
            Some(value) => test(&value).into(),
            None => Outcome::Unresolved,
        })?;
        let value = read(&reduced.bytes).expect("only what was read failed");
        Ok(ReducedValue { value, reduced, source })
    }
}
