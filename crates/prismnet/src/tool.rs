//! Running `ip` and `nft`. Both take a whole list of commands in one process, so an apply costs a handful of processes of
//! two to six milliseconds each. A child works in the network namespace of the thread that starts it.

use std::{
    io::{self, Write},
    process::{Command, Output, Stdio},
};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::Error;

fn run(program: &'static str, args: &[&str], input: &str) -> Result<Output, Error> {
    let fail = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => Error::ToolMissing { program },
        _ => Error::ToolRun { program, source },
    };
    // Administrators' tools are in sbin, which a service's PATH may lack.
    let path = format!(
        "{}:/usr/sbin:/sbin",
        std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".to_owned())
    );
    let mut child = Command::new(program)
        .args(args)
        .env("PATH", path)
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(fail)?;
    let mut stdin = child.stdin.take().expect("stdin is piped");
    // A tool that gives up early closes its end; what it says on stderr tells more than the broken pipe.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().map_err(fail)
}

fn refusal(program: &'static str, output: &Output, input: &str) -> Error {
    let stderr = String::from_utf8_lossy(&output.stderr);
    // ip says "Command failed -:3" for the third line of a batch.
    let at = stderr
        .lines()
        .find_map(|line| {
            line.strip_prefix("Command failed -:")?
                .trim()
                .parse::<usize>()
                .ok()
        })
        .and_then(|number| input.lines().nth(number - 1))
        .map(str::to_owned);
    let said: Vec<&str> = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("Command failed"))
        .collect();
    let message = if said.is_empty() {
        output.status.to_string()
    } else {
        said.join("; ")
    };
    Error::Tool { program, message, at }
}

/// Runs commands of `ip`, one a line; stops at the first that fails.
pub(crate) fn ip_batch(lines: &[String]) -> Result<(), Error> {
    if lines.is_empty() {
        return Ok(());
    }
    let mut input = lines.join("\n");
    input.push('\n');
    tracing::debug!(commands = %input, "ip");
    let output = run("ip", &["-batch", "-"], &input)?;
    if output.status.success() {
        Ok(())
    } else {
        Err(refusal("ip", &output, &input))
    }
}

/// Asks `ip` several questions at once (IPv4); one list answers each.
pub(crate) fn ip_ask(questions: &[&str]) -> Result<Vec<Value>, Error> {
    let mut input = questions.join("\n");
    input.push('\n');
    let output = run("ip", &["-4", "-json", "-batch", "-"], &input)?;
    if !output.status.success() {
        return Err(refusal("ip", &output, &input));
    }
    serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter::<Value>()
        .collect::<Result<_, _>>()
        .map_err(|source| Error::Answer {
            program: "ip",
            source,
        })
}

pub(crate) fn decode<T: DeserializeOwned>(program: &'static str, value: Value) -> Result<T, Error> {
    serde_json::from_value(value).map_err(|source| Error::Answer { program, source })
}

/// Loads a ruleset in one transaction: all of it or nothing.
pub(crate) fn nft_load(ruleset: &str) -> Result<(), Error> {
    tracing::debug!(%ruleset, "nft");
    let output = run("nft", &["-f", "-"], ruleset)?;
    if output.status.success() {
        Ok(())
    } else {
        Err(refusal("nft", &output, ruleset))
    }
}

/// What `nft -j list …` shows; nothing when the thing asked for does not exist.
pub(crate) fn nft_list(what: &[&str]) -> Result<Option<Vec<Value>>, Error> {
    let args: Vec<&str> = ["-j", "list"].iter().chain(what).copied().collect();
    let output = run("nft", &args, "")?;
    if !output.status.success() {
        let error = refusal("nft", &output, "");
        return match &error {
            Error::Tool { message, .. } if message.contains("No such file or directory") => Ok(None),
            _ => Err(error),
        };
    }
    #[derive(serde::Deserialize)]
    struct Listing {
        nftables: Vec<Value>,
    }
    let listing: Listing = serde_json::from_slice(&output.stdout).map_err(|source| Error::Answer {
        program: "nft",
        source,
    })?;
    Ok(Some(listing.nftables))
}
