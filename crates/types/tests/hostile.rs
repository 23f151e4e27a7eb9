//! What people and programs type, bent: it is understood or refused, and what is understood is printed so that it is
//! understood the same again.

use proptest::prelude::*;
use types::{Bytes, Cidr, ClusterId, MilliCpu, Name, Patch, cluster::PortRange, version::Wanted};

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9./:v-]{0,40}",
        "\\PC{0,60}",
        "v?1\\.[0-9]{0,4}(\\.[0-9]{0,12})?",
        "[0-9]{1,4}\\.[0-9]{1,4}\\.[0-9]{1,4}\\.[0-9]{1,4}/[0-9]{1,3}",
        "[0-9]{0,22}(\\.[0-9]{0,22})?[a-zA-Z]{0,3}",
        "[0-9]{0,7}-[0-9]{0,7}",
    ]
}

macro_rules! same_again {
    ($($type:ty),*) => {
        |text: &str| {
            $(if let Ok(value) = text.parse::<$type>() {
                assert_eq!(value.to_string().parse::<$type>().as_ref(), Ok(&value), "{text:?}");
            })*
        }
    };
}

proptest! {
    #[test]
    fn hostile_words_are_understood_or_refused(text in words()) {
        same_again!(Cidr, Name, Patch, Bytes, MilliCpu, ClusterId)(&text);
        let _ = text.parse::<Wanted>();
        if let Ok(range) = PortRange::try_from(text) {
            prop_assert!(range.first > 0 && range.first <= range.last);
        }
    }
}
