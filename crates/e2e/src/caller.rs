//! Somebody who calls the platform's API as a program does: a token, a path, JSON.

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

use crate::platform::Platform;

const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Clone)]
pub struct Caller {
    address: SocketAddr,
    token: Option<String>,
}

impl Caller {
    pub fn nobody(platform: &Platform) -> Self {
        Self {
            address: platform.listen(),
            token: None,
        }
    }

    /// The platform's first administrator.
    pub fn root(platform: &Platform) -> Self {
        let file = fs::read_to_string(platform.state().join("client.toml")).expect("made at the first start");
        let file: toml::Table = file.parse().expect("TOML");
        Self::nobody(platform).with(file["token"].as_str().expect("a token"))
    }

    pub fn with(&self, token: &str) -> Self {
        Self {
            token: Some(token.to_owned()),
            ..self.clone()
        }
    }

    /// The answer, which must be a good one.
    #[track_caller]
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        match self.try_call(method, path, body) {
            (200..300, answer) => answer,
            (status, answer) => panic!("{method} {path}: {status} {answer}"),
        }
    }

    pub fn try_call(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let token = self.token.as_ref();
        let token = token.map_or(String::new(), |token| {
            format!("authorization: Bearer {token}\r\n")
        });
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{token}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        let mut stream = TcpStream::connect(self.address).expect("the platform listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (
            status.expect("a status"),
            serde_json::from_str(body).unwrap_or_else(|_| Value::String(body.to_owned())),
        )
    }
}
