//! Images for workloads and for upstream's end-to-end tests.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::{CERTIFICATES, E2E, HUB, Images, NSSWITCH, SHELL_GROUPS, SHELL_USERS};
use crate::build::parts::TEST_FILES;
use crate::build::{Build, BuildError, Parts, command};
use crate::cache::io_error;
use crate::embedded;
use crate::oci::{ImageSpec, Layer};

impl Build<'_> {
    pub(super) fn workload_images(&self, parts: &Parts, images: &mut Images) -> Result<(), BuildError> {
        let tags = &self.line.images;

        let mut tools = self.root_overlay("tools", SHELL_USERS, SHELL_GROUPS);
        tools
            .file(CERTIFICATES, 0o644, self.read_part(parts, "node", CERTIFICATES)?)
            .file(
                "usr/bin/busybox",
                0o755,
                self.read_part(parts, "busybox", "usr/bin/busybox")?,
            )
            .symlink("usr/bin/wget", "busybox");
        let tools = vec![parts.tar("tools"), self.layer("tools", &tools)?];

        let mut layer = Layer::new();
        layer
            .binary("agnhost", self.blob(parts, "agnhost"))
            .symlink("agnhost-2", "agnhost")
            .binary("coredns", self.blob(parts, "coredns"))
            .file(
                "localhost.crt",
                0o644,
                self.read_part(parts, TEST_FILES, "agnhost/porter/localhost.crt")?,
            )
            .file(
                "localhost.key",
                0o644,
                self.read_part(parts, TEST_FILES, "agnhost/porter/localhost.key")?,
            )
            .dir("uploads", 0o755)
            .symlink("usr/local/bin/iperf", "/usr/bin/iperf");
        let mut layers = tools.clone();
        layers.push(self.layer("agnhost", &layer)?);
        let agnhost = ImageSpec {
            entrypoint: vec!["/agnhost".into()],
            cmd: vec!["pause".into()],
            ports: ["80", "8080", "8081", "9376", "5000"]
                .map(|p| format!("{p}/tcp"))
                .to_vec(),
            layers,
            ..ImageSpec::default()
        };
        self.store(
            images,
            tags.agnhost.iter().map(|tag| format!("{E2E}/agnhost:{tag}")),
            &agnhost,
        )?;
        self.update_demo_images(parts, &agnhost, images)?;

        let mut layer = Layer::new();
        layer.binary("coredns", self.blob(parts, "coredns"));
        let mut layers = tools;
        layers.push(self.layer("dns testing", &layer)?);
        let spec = ImageSpec {
            cmd: vec!["bash".into()],
            layers,
            ..ImageSpec::default()
        };
        self.store(images, [format!("{E2E}/{}", tags.dns_testing)], &spec)?;

        let mut spec = ImageSpec {
            cmd: vec!["sh".into()],
            layers: vec![self.layer("busybox", &self.busybox(parts)?)?],
            ..ImageSpec::default()
        };
        self.store(images, [format!("{HUB}/busybox:latest")], &spec)?;
        let mut layer = Layer::new();
        // Found before `/bin/sh`, which stays busybox: specs know its messages, too.
        let shell = self.read_part(parts, "busybox", "usr/bin/bash-static")?;
        layer.file("usr/local/bin/sh", 0o755, shell);
        spec.layers.push(self.layer("shell of busybox", &layer)?);
        self.store(images, [format!("{E2E}/busybox:{}", tags.busybox)], &spec)?;
        spec.user = "1234".into();
        self.store(images, [format!("{E2E}/nonroot:{}", tags.nonroot)], &spec)?;

        let mut layer = Layer::new();
        layer.setuid_binary("usr/local/bin/nnp", self.blob(parts, "nonewprivs"));
        let spec = ImageSpec {
            cmd: vec!["nnp".into()],
            layers: vec![self.static_base(parts)?, self.layer("nonewprivs", &layer)?],
            ..ImageSpec::default()
        };
        self.store(images, [format!("{E2E}/nonewprivs:{}", tags.nonewprivs)], &spec)?;

        let mut layer = Layer::new();
        layer.binary("sample-apiserver", self.blob(parts, "sample-apiserver"));
        let spec = ImageSpec {
            entrypoint: vec!["/sample-apiserver".into()],
            layers: vec![self.static_base(parts)?, self.layer("sample-apiserver", &layer)?],
            ..ImageSpec::default()
        };
        self.store(
            images,
            [format!("{E2E}/sample-apiserver:{}", tags.sample_apiserver)],
            &spec,
        )?;

        let spec = ImageSpec {
            cmd: ["nginx", "-g", "daemon off;"].map(str::to_owned).to_vec(),
            ports: vec!["80/tcp".into()],
            stop_signal: "SIGQUIT".into(),
            layers: vec![parts.tar("nginx"), self.layer("nginx", &self.nginx())?],
            ..ImageSpec::default()
        };
        let e2e = tags.nginx.iter().map(|tag| format!("{E2E}/nginx:{tag}"));
        self.store(images, e2e.chain([format!("{HUB}/nginx:latest")]), &spec)
    }

    /// The two versions of one application that upstream rolls between.
    fn update_demo_images(
        &self,
        parts: &Parts,
        agnhost: &ImageSpec,
        images: &mut Images,
    ) -> Result<(), BuildError> {
        let tags = &self.line.images;
        for (name, tag) in [("kitten", &tags.kitten), ("nautilus", &tags.nautilus)] {
            let mut layer = Layer::new();
            for file in [format!("{name}.jpg"), "data.json".into()] {
                layer.file(
                    &file,
                    0o644,
                    self.read_part(parts, TEST_FILES, &format!("{name}/html/{file}"))?,
                );
            }
            let mut spec = ImageSpec {
                cmd: vec!["test-webserver".into()],
                ..agnhost.clone()
            };
            spec.layers.push(self.layer(name, &layer)?);
            self.store(images, [format!("{E2E}/{name}:{tag}")], &spec)?;
        }
        Ok(())
    }

    /// What makes Debian's nginx behave as the official image: port 80, `/usr/share/nginx/html`, logs on the console.
    fn nginx(&self) -> Layer {
        let text = |name: &str| embedded::file(&format!("nginx/{name}")).unwrap_or_default();
        let mut layer = self.root_overlay("nginx", SHELL_USERS, SHELL_GROUPS);
        layer
            .file("etc/nginx/nginx.conf", 0o644, text("nginx.conf"))
            .file("etc/nginx/conf.d/default.conf", 0o644, text("default.conf"))
            .symlink("var/log/nginx/access.log", "/dev/stdout")
            .symlink("var/log/nginx/error.log", "/dev/stderr")
            .dir("var/cache/nginx", 0o755);
        layer
    }

    /// Debian's static busybox with a link for each of its applets.
    fn busybox(&self, parts: &Parts) -> Result<Layer, BuildError> {
        let program = self.read_part(parts, "busybox", "usr/bin/busybox")?;
        let scratch = self.cache.blobs().scratch()?;
        let path = scratch.path().join("busybox");
        std::fs::write(&path, &program)
            .and_then(|()| std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)))
            .map_err(io_error("write", &path))?;
        let mut list = Command::new(&path);
        list.arg("--list");
        let mut layer = Layer::new();
        for applet in command::output("listing the applets of busybox", list)?
            .lines()
            .filter(|a| *a != "busybox")
        {
            layer.symlink(&format!("bin/{applet}"), "busybox");
        }
        layer
            .file("bin/busybox", 0o755, program)
            .symlink("usr/bin/env", "/bin/env")
            .file("etc/passwd", 0o644, SHELL_USERS)
            .file("etc/group", 0o644, SHELL_GROUPS)
            .file("etc/nsswitch.conf", 0o644, NSSWITCH)
            .dir("home", 0o755)
            .dir("root", 0o700)
            .dir("tmp", 0o1777)
            .dir("usr/sbin", 0o755)
            .dir("var/spool/mail", 0o755)
            .dir("var/www", 0o755);
        Ok(layer)
    }
}
