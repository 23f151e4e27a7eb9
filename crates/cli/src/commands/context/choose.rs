//! `cloud context use`

use clap::{Args, builder::NonEmptyStringValueParser};

use crate::{
    credentials::{self, LOCAL},
    failure::Failure,
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Use {
    /// Name of a context; 'local' is the platform on this host
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    name: String,
}

impl Use {
    pub fn run(self, project: Option<&str>) -> Result<(), Failure> {
        let locked = credentials::lock()?;
        let mut credentials = locked.read()?;
        let kept = if self.name == LOCAL {
            &mut credentials.local_project
        } else {
            &mut credentials.get_mut(&self.name)?.project
        };
        if let Some(project) = project {
            *kept = Some(project.to_owned());
        }
        let project = kept.clone();
        credentials.current = Some(self.name.clone());
        locked.write(&credentials)?;
        let inside = project.map_or_else(String::new, |project| format!(", project {project}"));
        print(&format!("the current context is {}{inside}\n", self.name))?;
        super::warn_of_environment();
        Ok(())
    }
}
