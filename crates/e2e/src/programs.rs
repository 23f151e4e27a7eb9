//! Where the programs are: those under test, and those of the bundle that a user has.

use std::path::PathBuf;

/// The programs under test and those of the bundle that a user has.
#[derive(Debug, Clone)]
pub struct Programs {
    pub cloud: PathBuf,
    pub cloudd: PathBuf,
    pub edge: PathBuf,
    pub keeper: PathBuf,
    pub kubectl: PathBuf,
    pub helm: PathBuf,
    pub cache: PathBuf,
}

impl Programs {
    pub fn find() -> Self {
        let dir = std::env::var_os("PLASMACLOUD_BIN_DIR").map(PathBuf::from);
        let dir = dir.expect(
            "PLASMACLOUD_BIN_DIR names the directory with cloud, cloudd, cloud-edge and cloud-keeper",
        );
        let cache = std::env::var_os("PLASMACLOUD_CACHE_DIR");
        let cache = cache.map_or_else(|| PathBuf::from("/var/cache/plasmacloud"), PathBuf::from);
        let bundle = bundle::Cache::open(&cache).and_then(|cache| cache.resolve(bundle::DEFAULT_LINE));
        let bundle = bundle
            .expect("the cache is readable")
            .expect("the default bundle is built");
        let tool = |name| {
            bundle
                .bin(name)
                .unwrap_or_else(|| panic!("the bundle has {name}"))
        };
        Self {
            cloud: dir.join("cloud"),
            cloudd: dir.join("cloudd"),
            edge: dir.join("cloud-edge"),
            keeper: dir.join("cloud-keeper"),
            kubectl: tool("kubectl"),
            helm: tool("helm"),
            cache,
        }
    }
}
