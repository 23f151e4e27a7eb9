//! Cluster DNS by CoreDNS, at the tenth address of the service range. The names of its objects are upstream's, so that
//! tools and tests which look for `kube-dns` find it.

use serde_json::{Value, json};
use types::cluster::Ranges;

use super::labels;

const NAMESPACE: &str = "kube-system";

pub(super) fn objects(ranges: &Ranges, image: &str) -> Vec<Value> {
    vec![
        account(),
        role(),
        role_binding(),
        corefile(&ranges.domain),
        deployment(image),
        service(ranges),
    ]
}

fn meta(name: &str) -> Value {
    json!({"name": name, "namespace": NAMESPACE, "labels": labels("kube-dns")})
}

fn account() -> Value {
    json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta("coredns")})
}

fn role() -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "system:coredns", "labels": labels("kube-dns")},
        "rules": [
            {"apiGroups": [""], "resources": ["endpoints", "services", "pods", "namespaces"], "verbs": ["list", "watch"]},
            {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list", "watch"]},
        ],
    })
}

fn role_binding() -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "system:coredns", "labels": labels("kube-dns")},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:coredns"},
        "subjects": [{"kind": "ServiceAccount", "name": "coredns", "namespace": NAMESPACE}],
    })
}

fn corefile(domain: &str) -> Value {
    let text = format!(
        ".:53 {{
    errors
    health {{
        lameduck 5s
    }}
    ready
    kubernetes {domain} in-addr.arpa ip6.arpa {{
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
        ttl 30
    }}
    prometheus :9153
    forward . /etc/resolv.conf {{
        max_concurrent 1000
    }}
    cache 30 {{
        disable success {domain}
        disable denial {domain}
    }}
    loop
    reload
    loadbalance
}}
"
    );
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("coredns"), "data": {"Corefile": text}})
}

fn deployment(image: &str) -> Value {
    let select = json!({"k8s-app": "kube-dns"});
    let probe = |path: &str, port: u16| json!({"httpGet": {"path": path, "port": port}, "timeoutSeconds": 5});
    let mut liveness = probe("/health", 8080);
    liveness["initialDelaySeconds"] = json!(60);
    liveness["failureThreshold"] = json!(5);
    let mut readiness = probe("/ready", 8181);
    readiness["periodSeconds"] = json!(2);
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": meta("coredns"),
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": select},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}},
            "template": {
                "metadata": {"labels": select},
                "spec": {
                    "serviceAccountName": "coredns",
                    "priorityClassName": "system-cluster-critical",
                    "dnsPolicy": "Default",
                    "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}],
                    "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{
                        "weight": 100,
                        "podAffinityTerm": {
                            "labelSelector": {"matchLabels": select},
                            "topologyKey": "kubernetes.io/hostname",
                        },
                    }]}},
                    "containers": [{
                        "name": "coredns",
                        "image": image,
                        "imagePullPolicy": "IfNotPresent",
                        "args": ["-conf", "/etc/coredns/Corefile"],
                        "resources": {"limits": {"memory": "170Mi"}, "requests": {"cpu": "100m", "memory": "70Mi"}},
                        "ports": [
                            {"containerPort": 53, "name": "dns", "protocol": "UDP"},
                            {"containerPort": 53, "name": "dns-tcp", "protocol": "TCP"},
                            {"containerPort": 9153, "name": "metrics", "protocol": "TCP"},
                        ],
                        "livenessProbe": liveness,
                        "readinessProbe": readiness,
                        "securityContext": {
                            "allowPrivilegeEscalation": false,
                            "capabilities": {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]},
                            "readOnlyRootFilesystem": true,
                        },
                        "volumeMounts": [{"name": "config", "mountPath": "/etc/coredns", "readOnly": true}],
                    }],
                    "volumes": [{
                        "name": "config",
                        "configMap": {"name": "coredns", "items": [{"key": "Corefile", "path": "Corefile"}]},
                    }],
                },
            },
        },
    })
}

fn service(ranges: &Ranges) -> Value {
    let mut metadata = meta("kube-dns");
    metadata["labels"]["kubernetes.io/cluster-service"] = json!("true");
    metadata["labels"]["kubernetes.io/name"] = json!("CoreDNS");
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {
            "clusterIP": ranges.dns_address().to_string(),
            "selector": {"k8s-app": "kube-dns"},
            "ports": [
                {"name": "dns", "port": 53, "protocol": "UDP", "targetPort": 53},
                {"name": "dns-tcp", "port": 53, "protocol": "TCP", "targetPort": 53},
                {"name": "metrics", "port": 9153, "protocol": "TCP", "targetPort": 9153},
            ],
        },
    })
}
