"""Plays a session of the Python client and prints a JSON line per step: {"step": ..., "value": ...} or {"step": ..., "error": ...}.

Takes the path of the kubeconfig file.
"""
import inspect
import json
import sys
import threading

from kubernetes import client, config, dynamic, utils, watch

config.load_kube_config(sys.argv[1])
api = client.ApiClient()
core, apps = client.CoreV1Api(), client.AppsV1Api()
NS = "python"


def step(name, run):
    try:
        print(json.dumps({"step": name, "value": run()}), flush=True)
    except client.ApiException as thrown:
        print(json.dumps({"step": name, "error": thrown.status}), flush=True)
    except Exception as thrown:  # an error of the client about an unexpected response
        print(json.dumps({"step": name, "error": f"{type(thrown).__name__}: {thrown}"}), flush=True)


def meta(**fields):
    return client.V1ObjectMeta(**fields)


def lists_of(cls):
    """Returns the failures of the list methods of a class."""
    failed = {}
    for name, call in inspect.getmembers(cls(api), inspect.ismethod):
        if not name.startswith("list_") or name.endswith("_with_http_info"):
            continue
        try:
            call("default") if name.startswith("list_namespaced_") else call()
        except client.ApiException as thrown:
            failed[name] = thrown.status
        except Exception as thrown:
            failed[name] = f"{type(thrown).__name__}: {thrown}"
    return failed


versioned = [
    (name, cls)
    for name, cls in inspect.getmembers(client, inspect.isclass)
    if name.endswith("Api") and name[-4].isdigit()
]
for name, cls in versioned:
    step(f"lists of {name}", lambda cls=cls: lists_of(cls))

events, began = [], threading.Event()


def observe():
    for event in watch.Watch().stream(core.list_namespaced_config_map, NS, timeout_seconds=20):
        began.set()
        if event["object"].metadata.name != "a":
            continue
        events.append(event["type"])
        if event["type"] == "DELETED":
            return


step("namespace", lambda: core.create_namespace(client.V1Namespace(metadata=meta(name=NS))).metadata.name)
core.create_namespaced_config_map(NS, client.V1ConfigMap(metadata=meta(name="first")))
watcher = threading.Thread(target=observe)
watcher.start()
began.wait(20)


def replace():
    object = core.read_namespaced_config_map("a", NS)
    object.data = {"z": "1"}
    return core.replace_namespaced_config_map("a", NS, object).data


step("create", lambda: core.create_namespaced_config_map(NS, client.V1ConfigMap(metadata=meta(name="a"), data={"k": "v"})).data)
step("create again", lambda: core.create_namespaced_config_map(NS, client.V1ConfigMap(metadata=meta(name="a"))).data)
step("patch", lambda: core.patch_namespaced_config_map("a", NS, {"data": {"x": "y"}}).data)
step("patch by operations", lambda: core.patch_namespaced_config_map("a", NS, [{"op": "remove", "path": "/data/x"}]).data)
step("replace", replace)
step("delete", lambda: core.delete_namespaced_config_map("a", NS).status)
watcher.join(20)
step("watch", lambda: events)

labels = {"app": "web"}
pod_spec = client.V1PodSpec(containers=[client.V1Container(name="c", image="i")])
template = client.V1PodTemplateSpec(metadata=meta(labels=labels), spec=pod_spec)
deployment = client.V1Deployment(
    api_version="apps/v1",
    kind="Deployment",
    metadata=meta(name="web", namespace=NS),
    spec=client.V1DeploymentSpec(replicas=0, selector=client.V1LabelSelector(match_labels=labels), template=template),
)
step("create from a dictionary", lambda: utils.create_from_dict(api, api.sanitize_for_serialization(deployment))[0].metadata.name)
step("scale", lambda: apps.patch_namespaced_deployment_scale("web", NS, {"spec": {"replicas": 3}}).spec.replicas)
step("scale by hand", lambda: apps.read_namespaced_deployment_scale("web", NS).status.selector)
pod = client.V1Pod(metadata=meta(generate_name="p-"), spec=pod_spec)
step("pod", lambda: core.create_namespaced_pod(NS, pod).metadata.generate_name)
step("page", lambda: len(core.list_namespaced_pod(NS, limit=1).items))


def evict():
    name = next(p.metadata.name for p in core.list_namespaced_pod(NS).items if p.metadata.name.startswith("p-"))
    core.create_namespaced_pod_eviction(name, NS, client.V1Eviction(metadata=meta(name=name)))
    return [p.metadata.name for p in core.list_namespaced_pod(NS).items].count(name)


step("evict", evict)


def token():
    asked = client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=["a"], expiration_seconds=600))
    text = core.create_namespaced_service_account_token("default", NS, asked).status.token
    reviewed = client.AuthenticationV1Api().create_token_review(
        client.V1TokenReview(spec=client.V1TokenReviewSpec(token=text, audiences=["a"]))
    )
    return reviewed.status.user.username


core_default = client.V1ServiceAccount(metadata=meta(name="default"))
try:
    core.create_namespaced_service_account(NS, core_default)
except client.ApiException:
    pass  # a controller created it first
step("token", token)


def may():
    attributes = client.V1ResourceAttributes(verb="get", resource="pods")
    review = client.V1SelfSubjectAccessReview(spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes))
    return client.AuthorizationV1Api().create_self_subject_access_review(review).status.allowed


step("access", may)

GROUP = "python.example.com"
extensions, custom = client.ApiextensionsV1Api(), client.CustomObjectsApi()
schema = {"type": "object", "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}
definition = {
    "metadata": {"name": f"foos.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "foos", "kind": "Foo"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
    },
}
step("definition", lambda: extensions.create_custom_resource_definition(definition).metadata.name)
for event in watch.Watch().stream(extensions.list_custom_resource_definition, timeout_seconds=20):
    if any(each.type == "Established" and each.status == "True" for each in event["object"].status.conditions or []):
        break
foo = {"apiVersion": f"{GROUP}/v1", "kind": "Foo", "metadata": {"name": "x"}, "spec": {"a": 1}}
step("custom object", lambda: custom.create_namespaced_custom_object(GROUP, "v1", NS, "foos", foo)["spec"])
step("custom patch", lambda: custom.patch_namespaced_custom_object(GROUP, "v1", NS, "foos", "x", {"spec": {"b": 2}})["spec"])
step("custom list", lambda: len(custom.list_cluster_custom_object(GROUP, "v1", "foos")["items"]))


def dynamically():
    found = dynamic.DynamicClient(api).resources
    maps = found.get(api_version="v1", kind="ConfigMap")
    maps.create(body={"metadata": {"name": "dynamic", "labels": {"x": "y"}}}, namespace=NS)
    maps.patch(name="dynamic", namespace=NS, body={"data": {"k": "v"}}, content_type="application/merge-patch+json")
    data = [dict(each.data) for each in maps.get(namespace=NS, label_selector="x=y").items]
    foos = found.get(api_version=f"{GROUP}/v1", kind="Foo").get(namespace=NS)
    return [*data, dict(foos.items[0].spec)]


step("dynamic client", dynamically)
step("delete collection", lambda: core.delete_collection_namespaced_config_map(NS, label_selector="x=y") and core.list_namespaced_config_map(NS, label_selector="x=y").items)
step("version", lambda: client.VersionApi().get_code().git_version)
step("nothing there", lambda: core.read_namespaced_pod("nothing", NS).metadata.name)
