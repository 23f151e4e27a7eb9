//! `migrate!` embeds the migrations; a new file must cause a build.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
