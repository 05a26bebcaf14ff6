//! Counted numbers, which look-ups give away while others are forgotten. loom runs all interleavings.

use loom::sync::{Arc, Mutex};
use loom::thread;

#[path = "../../src/tree/counted.rs"]
#[allow(dead_code)]
mod of_tree;

use of_tree::Counted;

type Numbers = Mutex<Counted<str>>;

/// Looks up a key like a front end: the number is found first, and held when the reply is sent. `None` if it was
/// forgotten meanwhile.
fn look_up(numbers: &Numbers, key: &str) -> Option<u32> {
    let number = numbers.lock().unwrap().number(key, |_| true)?;
    let is_held = numbers.lock().unwrap().hold(number, 1);
    is_held.then_some(number)
}

/// Asserts that a number that a front end has means its key, and forgets it.
fn use_and_forget(numbers: &Numbers, key: &str, number: u32) {
    let found = numbers.lock().unwrap().key(number).cloned();
    assert_eq!(found.as_deref(), Some(key));
    numbers.lock().unwrap().release(number, 1);
}

#[test]
fn a_number_that_a_front_end_has_means_one_key() {
    loom::model(|| {
        // Of three keys without references one is remembered. A number is given again only when all others were given,
        // so there are as many numbers as keys that are looked up meanwhile.
        let numbers: Arc<Numbers> = Arc::new(Mutex::new(Counted::new(3, 1)));
        let own = Arc::clone(&numbers);
        let other = thread::spawn(move || {
            for key in ["b", "c"] {
                if let Some(number) = look_up(&own, key) {
                    use_and_forget(&own, key, number);
                }
            }
        });
        if let Some(number) = look_up(&numbers, "a") {
            use_and_forget(&numbers, "a", number);
        }
        other.join().unwrap();
    });
}

#[test]
fn a_key_that_is_forgotten_and_looked_up_at_once_is_not_lost() {
    loom::model(|| {
        let numbers: Arc<Numbers> = Arc::new(Mutex::new(Counted::new(u32::MAX, 1)));
        let number = look_up(&numbers, "a").unwrap();
        let own = Arc::clone(&numbers);
        let other = thread::spawn(move || own.lock().unwrap().release(number, 1));
        // It is the only one, so it is remembered until it is held again.
        assert_eq!(look_up(&numbers, "a"), Some(number));
        other.join().unwrap();
        assert_eq!(numbers.lock().unwrap().references(number), 1);
    });
}
