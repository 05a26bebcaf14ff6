//! Following the symbolic links of a path.

/// The names of a path that remain to be followed, with the names of the targets of links on it.
pub struct NamesLeft<N> {
    /// The next one last.
    names: Vec<N>,
    links: usize,
}

/// Maximum number of links in a path, as in the kernel.
const MOST_LINKS: usize = 40;

impl<N> NamesLeft<N> {
    /// The names of a path.
    pub fn of<I: IntoIterator<Item = N, IntoIter: DoubleEndedIterator>>(path: I) -> NamesLeft<N> {
        NamesLeft {
            names: path.into_iter().rev().collect(),
            links: 0,
        }
    }

    /// True if no name remains.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Puts the names of a link's target in front of the others. Returns false if the path has too many links, which
    /// may lead in a circle.
    #[must_use]
    pub fn follow<I: IntoIterator<Item = N, IntoIter: DoubleEndedIterator>>(&mut self, target: I) -> bool {
        self.links += 1;
        let may_follow = self.links <= MOST_LINKS;
        if may_follow {
            self.names.extend(target.into_iter().rev());
        }
        may_follow
    }
}

/// Takes the next name.
impl<N> Iterator for NamesLeft<N> {
    type Item = N;

    fn next(&mut self) -> Option<N> {
        self.names.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_as_many_links_as_the_kernel_follows() {
        for links in [MOST_LINKS, MOST_LINKS + 1] {
            let mut left = NamesLeft::of(["link", "end"]);
            let followed = (0..links).all(|_| {
                assert_eq!(left.next(), Some("link"));
                left.follow(["link"])
            });
            assert_eq!(followed, links == MOST_LINKS);
        }
        let mut left = NamesLeft::of(["link", "end"]);
        left.next();
        assert!(left.follow(["a", "b"]) && !left.is_empty());
        assert_eq!(left.collect::<Vec<_>>(), ["a", "b", "end"]);
    }
}
