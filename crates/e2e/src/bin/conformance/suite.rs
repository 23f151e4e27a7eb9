//! One run of ginkgo over `e2e.test`. Ginkgo runs specs side by side and those that must be alone after them.

use std::{fs, path::Path, process::Stdio};

use crate::{
    endpoint::Endpoint,
    report::{self, Spec},
};

pub const REPORT: &str = "report.json";

pub struct Suite<'a> {
    pub tools: &'a Path,
    pub out: &'a Path,
    pub endpoint: &'a Endpoint,
    pub kubectl: &'a Path,
    pub focus: &'a [String],
    pub skip: &'a [String],
    pub procs: u8,
}

impl Suite<'_> {
    /// Its own output goes to the terminal: a dot for a spec that passed, all that was said by one that failed.
    pub fn run(&self) -> Vec<Spec> {
        fs::create_dir_all(self.out).unwrap_or_else(|error| panic!("{}: {error}", self.out.display()));
        let path = self.out.join(REPORT);
        let _ = fs::remove_file(&path);
        let mut ginkgo = self.endpoint.command(&self.tools.join("ginkgo"));
        ginkgo.args([
            "--no-color",
            "--silence-skips",
            "--timeout=12h",
            "--label-filter=Conformance",
        ]);
        ginkgo.arg(format!("--procs={}", self.procs));
        ginkgo.arg(format!("--output-dir={}", self.out.display()));
        ginkgo.arg(format!("--json-report={REPORT}"));
        ginkgo.args(
            self.focus
                .iter()
                .map(|expression| format!("--focus={expression}")),
        );
        ginkgo.args(self.skip.iter().map(|expression| format!("--skip={expression}")));
        ginkgo.arg(self.tools.join("e2e.test"));
        ginkgo.args(["--", "--provider=skeleton", "--disable-log-dump"]);
        ginkgo.arg(format!("--kubeconfig={}", self.endpoint.kubeconfig.display()));
        ginkgo.arg(format!("--kubectl-path={}", self.kubectl.display()));
        let status = ginkgo.stdin(Stdio::null()).status().expect("ginkgo starts");
        // It also ends badly when a spec fails; what there is to say of that is in the report.
        let text =
            fs::read(&path).unwrap_or_else(|error| panic!("ginkgo ended with {status}, no report: {error}"));
        report::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}
