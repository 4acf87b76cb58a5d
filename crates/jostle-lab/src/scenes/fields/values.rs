//! The kinds of values scene files have: whole numbers, numbers, switches, names, files, distributions.

use std::fmt::Display;
use std::path::PathBuf;

use toml::de::DeValue;

use super::Field;
use crate::numbers::grouped;
use crate::scenes::draw::Distribution;
use crate::suggestion::nearest;

/// A whole number within bounds.
pub(crate) fn whole<T>(value: &mut T, low: u64, high: u64) -> Whole<'_, T> {
    Whole { value, low, high }
}

pub(crate) struct Whole<'a, T> {
    value: &'a mut T,
    low: u64,
    high: u64,
}

impl<T: Copy + TryFrom<u64> + Display> Field for Whole<'_, T> {
    fn read(&mut self, value: &DeValue<'_>) -> Result<(), String> {
        let wrong = |said: &str| Err(format!("{said} is not a whole number; write {}", self.range()));
        let DeValue::Integer(integer) = value else { return wrong(&shown(value)) };
        let Ok(number) = u64::from_str_radix(integer.as_str(), integer.radix()) else {
            return outside(&integer.to_string(), &self.range());
        };
        if !(self.low..=self.high).contains(&number) {
            return outside(&integer.to_string(), &self.range());
        }
        match T::try_from(number) {
            Ok(number) => *self.value = number,
            Err(_) => return outside(&integer.to_string(), &self.range()),
        }
        Ok(())
    }

    fn write(&self) -> String {
        self.value.to_string()
    }

    fn range(&self) -> String {
        match self.high {
            u64::MAX => format!("a whole number from {} on", grouped(self.low)),
            high => format!("a whole number from {} to {}", grouped(self.low), grouped(high)),
        }
    }
}

/// A number within bounds, which may be one of them.
pub(crate) fn number(value: &mut f64, low: f64, high: f64) -> Number<'_> {
    Number { value, low, high }
}

pub(crate) struct Number<'a> {
    value: &'a mut f64,
    low: f64,
    high: f64,
}

impl Field for Number<'_> {
    fn read(&mut self, value: &DeValue<'_>) -> Result<(), String> {
        let number = parse(value)
            .ok_or_else(|| format!("{} is not a number; write {}", shown(value), self.range()))?;
        if !(self.low..=self.high).contains(&number) {
            return outside(&shown(value), &self.range());
        }
        *self.value = number;
        Ok(())
    }

    fn write(&self) -> String {
        float(*self.value)
    }

    fn range(&self) -> String {
        format!("a number from {} to {}", self.low, self.high)
    }
}

/// Yes or no.
pub(crate) fn switch(value: &mut bool) -> Switch<'_> {
    Switch { value }
}

pub(crate) struct Switch<'a> {
    value: &'a mut bool,
}

impl Field for Switch<'_> {
    fn read(&mut self, value: &DeValue<'_>) -> Result<(), String> {
        match value {
            DeValue::Boolean(yes) => *self.value = *yes,
            other => return Err(format!("{} is neither true nor false; write one of them", shown(other))),
        }
        Ok(())
    }

    fn write(&self) -> String {
        self.value.to_string()
    }

    fn range(&self) -> String {
        "true or false".to_string()
    }
}

/// One of a few names.
pub(crate) fn choice<'a, T>(value: &'a mut T, names: &'a [(&'static str, T)]) -> Choice<'a, T> {
    Choice { value, names }
}

pub(crate) struct Choice<'a, T> {
    value: &'a mut T,
    names: &'a [(&'static str, T)],
}

impl<T: Copy + PartialEq> Field for Choice<'_, T> {
    fn read(&mut self, value: &DeValue<'_>) -> Result<(), String> {
        let wrong = |said: String| Err(format!("{said} is not one of its names; write {}", self.range()));
        let DeValue::String(name) = value else { return wrong(shown(value)) };
        match self.names.iter().find(|(there, _)| there == name) {
            Some((_, chosen)) => *self.value = *chosen,
            None => match nearest(name, self.names.iter().map(|(there, _)| *there)) {
                Some(near) => return wrong(format!("\"{name}\" (did you mean \"{near}\"?)")),
                None => return wrong(format!("\"{name}\"")),
            },
        }
        Ok(())
    }

    fn write(&self) -> String {
        let name = self.names.iter().find(|(_, value)| value == self.value).map_or("", |(name, _)| name);
        quoted(name)
    }

    fn range(&self) -> String {
        self.names.iter().map(|(name, _)| quoted(name)).collect::<Vec<_>>().join(", ")
    }
}

/// The name of a file; the empty one stands for none.
pub(crate) fn file<'a>(value: &'a mut Option<PathBuf>, what: &'static str) -> NamedFile<'a> {
    NamedFile { value, what }
}

pub(crate) struct NamedFile<'a> {
    value: &'a mut Option<PathBuf>,
    what: &'static str,
}

impl Field for NamedFile<'_> {
    fn read(&mut self, value: &DeValue<'_>) -> Result<(), String> {
        let DeValue::String(name) = value else {
            return Err(format!("{} is not the name of a file; write {}", shown(value), self.range()));
        };
        *self.value = (!name.is_empty()).then(|| PathBuf::from(&**name));
        Ok(())
    }

    fn write(&self) -> String {
        quoted(&self.value.as_ref().map_or(String::new(), |path| path.display().to_string()))
    }

    fn range(&self) -> String {
        format!("the name of {}, or \"\" for none", self.what)
    }
}

/// A constant, or how numbers are spread, all of them within bounds.
pub(crate) fn spread<const N: usize>(value: &mut Distribution<N>, low: f64, high: f64) -> Spread<'_, N> {
    Spread { value, low, high }
}

pub(crate) struct Spread<'a, const N: usize> {
    value: &'a mut Distribution<N>,
    low: f64,
    high: f64,
}

impl<const N: usize> Spread<'_, N> {
    /// `N` numbers, or one that stands for all of them, all at least `low`.
    fn numbers(&self, value: &DeValue<'_>, low: f64) -> Result<[f64; N], String> {
        let numbers = match value {
            DeValue::Array(list) if N > 1 => {
                let list: Option<Vec<f64>> = list.iter().map(|item| parse(item.get_ref())).collect();
                list.and_then(|list| <[f64; N]>::try_from(list).ok())
            }
            single => parse(single).map(|number| [number; N]),
        };
        let Some(numbers) = numbers else {
            let many = if N == 1 { String::new() } else { format!(" nor a list of {N} numbers") };
            return Err(format!("{} is not a number{many}; write {}", shown(value), self.range()));
        };
        match numbers.iter().find(|number| !(low..=self.high).contains(number)) {
            Some(number) => Err(format!("{number} is out of range; write {}", self.range())),
            None => Ok(numbers),
        }
    }

    fn shown(numbers: &[f64; N]) -> String {
        match &numbers[..] {
            [first, rest @ ..] if rest.iter().all(|number| number == first) => float(*first),
            _ => format!("[{}]", numbers.map(float).join(", ")),
        }
    }
}

impl<const N: usize> Field for Spread<'_, N> {
    fn read(&mut self, value: &DeValue<'_>) -> Result<(), String> {
        let DeValue::Table(table) = value else {
            *self.value = Distribution::Constant(self.numbers(value, self.low)?);
            return Ok(());
        };
        let entries: Vec<(&str, &DeValue<'_>)> =
            table.iter().map(|(name, value)| (&**name.get_ref(), value.get_ref())).collect();
        let wrong = |said: &str| Err(format!("{said}; write {}", self.range()));
        let &[(name, DeValue::Array(list))] = &entries[..] else {
            return wrong("a distribution has one name with a list of two values");
        };
        let [first, second] = &list[..] else {
            return wrong(&format!("`{name}` has {} values instead of two", list.len()));
        };
        let (first, second) = (first.get_ref(), second.get_ref());
        *self.value = match name {
            "uniform" => {
                let (low, high) = (self.numbers(first, self.low)?, self.numbers(second, self.low)?);
                if low.iter().zip(&high).any(|(low, high)| low > high) {
                    return Err(
                        "the least value is above the greatest; write the least one first".to_string()
                    );
                }
                Distribution::Uniform(low, high)
            }
            // A standard deviation is 0 or more, whatever the numbers may be.
            "normal" => Distribution::Normal(self.numbers(first, self.low)?, self.numbers(second, 0.0)?),
            other => {
                let near = nearest(other, ["uniform", "normal"].into_iter());
                let hint = near.map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
                return wrong(&format!("there is no distribution `{other}`{hint}"));
            }
        };
        Ok(())
    }

    fn write(&self) -> String {
        let two = |name: &str, a: &[f64; N], b: &[f64; N]| {
            format!("{{ {name} = [{}, {}] }}", Self::shown(a), Self::shown(b))
        };
        match &*self.value {
            Distribution::Constant(value) => Self::shown(value),
            Distribution::Uniform(low, high) => two("uniform", low, high),
            Distribution::Normal(mean, deviation) => two("normal", mean, deviation),
        }
    }

    fn range(&self) -> String {
        let (low, high) = (self.low, self.high);
        let one = if N == 1 { "a number".to_string() } else { format!("a number or a list of {N}, each") };
        format!(
            "{one} from {low} to {high}; or {{ uniform = [least, greatest] }}, or {{ normal = [mean, standard deviation] }}"
        )
    }
}

fn outside(said: &str, range: &str) -> Result<(), String> {
    Err(format!("{said} is out of range; write {range}"))
}

fn parse(value: &DeValue<'_>) -> Option<f64> {
    let number: f64 = match value {
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok()?,
        DeValue::Float(float) => float.as_str().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// A value as the file has it, cut short.
fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) if text.chars().count() > 40 => "a long text".to_string(),
        DeValue::String(text) => quoted(text),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(yes) => yes.to_string(),
        DeValue::Datetime(_) => "a date".to_string(),
        DeValue::Array(list) => format!("a list of {}", list.len()),
        DeValue::Table(_) => "a table".to_string(),
    }
}

/// With a point, so that it is read as a number again.
fn float(number: f64) -> String {
    format!("{number:?}")
}

/// A TOML string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
