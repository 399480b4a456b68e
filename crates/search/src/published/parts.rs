//! A list of circumstances cut into parts.

use std::sync::Arc;

use crate::Configuration;

/// Circumstances in order, cut into consecutive parts, none of them empty.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    members: Arc<[usize]>,
    /// Part `i` is `members[bounds[i]..bounds[i + 1]]`.
    bounds: Arc<[usize]>,
}

impl Parts {
    /// Cuts `members` into `count` parts of about the same size (*Why Programs Fail*, Example 5.5:
    /// what is left over the parts that are left, rounded half up). `count` is between 1 and
    /// `members.len()`.
    pub(crate) fn equal(members: Arc<[usize]>, count: usize) -> Self {
        let mut bounds = vec![0];
        let mut start = 0;
        for left in (1..=count).rev() {
            let rest = members.len() - start;
            start += (2 * rest + left) / (2 * left);
            bounds.push(start);
        }
        Self { members, bounds: bounds.into() }
    }

    /// Returns the same number of parts, with cuts moved so that they do not come right before a
    /// member that is `glued` to its predecessor, where there is room for that.
    pub(crate) fn respecting(mut self, glued: &[bool]) -> Self {
        let free = |at: &usize| !glued.get(self.members[*at]).copied().unwrap_or(false);
        let mut bounds = self.bounds.to_vec();
        for cut in 1..bounds.len() - 1 {
            let back = (bounds[cut - 1] + 1..=bounds[cut]).rev().find(free);
            let forth = || (bounds[cut]..bounds[cut + 1]).find(free);
            // Parts never get empty: cuts before this one only moved to where it is not yet.
            bounds[cut] = back.or_else(forth).unwrap_or(bounds[cut]).max(bounds[cut - 1] + 1);
        }
        self.bounds = bounds.into();
        self
    }

    /// Returns `members` as one part.
    pub(crate) fn whole(members: Arc<[usize]>) -> Self {
        let bounds = [0, members.len()].into();
        Self { members, bounds }
    }

    /// Returns each part of two or more cut in two, where its sum of weights is halved as nearly as
    /// can be.
    pub(crate) fn halved_by_weight(&self, weights: &[u32]) -> Self {
        let mut bounds = vec![0];
        for part in self.bounds.windows(2) {
            let members = &self.members[part[0]..part[1]];
            if members.len() > 1 {
                bounds.push(part[0] + half_weight(members, weights));
            }
            bounds.push(part[1]);
        }
        Self { members: self.members.clone(), bounds: bounds.into() }
    }

    /// Returns how many parts there are.
    pub(crate) fn count(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Returns all circumstances of all parts.
    pub(crate) fn members(&self) -> &Arc<[usize]> {
        &self.members
    }

    /// Returns the circumstances of one part.
    pub(crate) fn part(&self, index: usize) -> &[usize] {
        &self.members[self.bounds[index]..self.bounds[index + 1]]
    }

    /// Returns the other parts as they are.
    pub(crate) fn without(&self, index: usize) -> Self {
        let (start, end) = (self.bounds[index], self.bounds[index + 1]);
        let members = [&self.members[..start], &self.members[end..]].concat().into();
        let after = self.bounds[index + 2..].iter().map(|b| b - (end - start));
        Self { members, bounds: self.bounds[..=index].iter().copied().chain(after).collect() }
    }

    /// Returns `from` without part `index`.
    pub(crate) fn complement(&self, from: &Configuration, index: usize) -> Configuration {
        let mut rest = from.clone();
        self.part(index).iter().for_each(|&c| rest.remove(c));
        rest
    }
}

/// Returns how many of `members` (two or more) make up half of the weight; at least one, not all.
fn half_weight(members: &[usize], weights: &[u32]) -> usize {
    let weight = |&m: &usize| weights.get(m).map_or(1, |&w| u64::from(w));
    let total: u64 = members.iter().map(weight).sum();
    let mut seen = 0;
    let below = |m: &&usize| {
        // A member belongs to the side on which its middle lies.
        let middle = 2 * seen + weight(m);
        seen += weight(m);
        middle <= total
    };
    members.iter().take_while(below).count().clamp(1, members.len() - 1)
}
