//! The API server calling into pods: an admission webhook and an aggregated API.

use std::time::Duration;

use e2e::{Cluster, ServingCertificate, eventually, is_true};
use serde_json::json;

use super::pods::AGNHOST;

const SOON: Duration = Duration::from_secs(90);

/// A secret with the certificate, a pod of agnhost with `arguments` that mounts it at /tls, and its service.
fn serve(
    cluster: &Cluster<'_>,
    name: &str,
    certificate: &ServingCertificate,
    arguments: &[&str],
    image: &str,
) {
    // A path is a program of its own; anything else is for the image's.
    let words = if arguments[0].starts_with('/') {
        "command"
    } else {
        "args"
    };
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": name},
        "stringData": {"tls.crt": certificate.cert_pem, "tls.key": certificate.key_pem},
    });
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "terminationGracePeriodSeconds": 1,
            "containers": [{
                "name": "server", "image": image, words: arguments,
                "volumeMounts": [{"name": "tls", "mountPath": "/tls"}],
            }],
            "volumes": [{"name": "tls", "secret": {"secretName": name}}],
        },
    });
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
        "spec": {"selector": {"app": name}, "ports": [{"port": 443, "targetPort": 8443}]},
    });
    for object in [secret, pod, service] {
        cluster.apply(&object.to_string());
    }
    cluster.wait_for_pods(&format!("app={name}"), 1);
}

/// agnhost's webhook denies every pod at `/always-deny`.
pub fn webhook(cluster: &Cluster<'_>) {
    let certificate = ServingCertificate::of_service("guard", "default");
    let tls = [
        "--tls-cert-file=/tls/tls.crt",
        "--tls-private-key-file=/tls/tls.key",
        "--port=8443",
    ];
    serve(
        cluster,
        "guard",
        &certificate,
        &[&["webhook"][..], &tls].concat(),
        AGNHOST,
    );
    let hook = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "guard"},
        "webhooks": [{
            "name": "guard.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None",
            "failurePolicy": "Fail", "timeoutSeconds": 5,
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}},
            "clientConfig": {
                "service": {"name": "guard", "namespace": "default", "path": "/always-deny"},
                "caBundle": base64(&certificate.ca_pem),
            },
        }],
    });
    cluster.apply(&hook.to_string());
    eventually("the webhook denies", SOON, || {
        let ended = cluster.kubectl(&["create", "configmap", "unwanted", "--from-literal=a=b"]);
        if ended.code == Some(0) {
            cluster.kubectl(&["delete", "configmap", "unwanted"]);
            return Err("it was let in".to_owned());
        }
        if ended.stderr.contains("denied the request") {
            Ok(())
        } else {
            Err(ended.told())
        }
    });
    cluster
        .kubectl(&["delete", "validatingwebhookconfiguration", "guard"])
        .ok();
    cluster
        .kubectl(&["create", "configmap", "wanted", "--from-literal=a=b"])
        .ok();
}

/// nginx stands in for an API server: discovery is all that is asked for the API to become available.
pub fn aggregated(cluster: &Cluster<'_>) {
    let certificate = ServingCertificate::of_service("aggregate", "default");
    let list = json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "shop.example.com/v1", "resources": [
        {"name": "orders", "singularName": "order", "namespaced": true, "kind": "Order", "verbs": ["get", "list"]}]});
    let config = format!(
        "server {{ listen 8443 ssl; ssl_certificate /tls/tls.crt; ssl_certificate_key /tls/tls.key; \
         location / {{ default_type application/json; return 200 '{list}'; }} }}"
    );
    let line =
        format!("cat > /etc/nginx/conf.d/default.conf <<'END'\n{config}\nEND\nexec nginx -g 'daemon off;'\n");
    serve(
        cluster,
        "aggregate",
        &certificate,
        &["/bin/sh", "-c", &line],
        "nginx:latest",
    );
    let service = json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1.shop.example.com"},
        "spec": {
            "group": "shop.example.com", "version": "v1", "groupPriorityMinimum": 1000, "versionPriority": 10,
            "service": {"name": "aggregate", "namespace": "default"}, "caBundle": base64(&certificate.ca_pem),
        },
    });
    cluster.apply(&service.to_string());
    eventually("the aggregated API is available", SOON, || {
        let service = cluster.get(&["apiservice", "v1.shop.example.com"])?;
        let status = &service["status"];
        if is_true(&status["conditions"], "Available") {
            Ok(())
        } else {
            Err(status.to_string())
        }
    });
    let answer = cluster
        .kubectl(&["get", "--raw", "/apis/shop.example.com/v1"])
        .ok();
    assert!(answer.contains("orders"), "{answer}");
    cluster
        .kubectl(&["delete", "apiservice", "v1.shop.example.com"])
        .ok();
}

fn base64(text: &str) -> String {
    use std::process::Command;
    let ended = e2e::run_with_input(Command::new("base64").arg("-w0"), text, Duration::from_secs(10));
    ended.ok().trim().to_owned()
}
