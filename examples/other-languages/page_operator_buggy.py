"""Keeps a ConfigMap `NAME-page` for each ConfigMap `NAME` with the label example.com/role=site.

Without faults it does what page_operator.py does. It has two bugs: a site that was deleted while its watch
was interrupted stays in the cache, and pages are deleted by name, whichever object has that name by then.
"""

import time

import urllib3
from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException

NAMESPACE = "default"
SITES = "example.com/role=site"

cache = {}


def page_of(site):
    return client.V1ConfigMap(
        metadata=client.V1ObjectMeta(
            name=site.metadata.name + "-page",
            labels={"example.com/role": "page"},
            annotations={"example.com/site-uid": site.metadata.uid},
        ),
        data={"html": "<h1>%s</h1>" % site.data["title"]},
    )


def reconcile(api, name):
    site = cache.get(name)
    try:
        if site is None:
            api.delete_namespaced_config_map(name + "-page", NAMESPACE)
        else:
            api.create_namespaced_config_map(NAMESPACE, page_of(site))
    except ApiException as error:
        if error.status not in (404, 409):
            raise


def run(api):
    sites = api.list_namespaced_config_map(NAMESPACE, label_selector=SITES, resource_version="0")
    for site in sites.items:
        cache[site.metadata.name] = site
    for name in list(cache):
        reconcile(api, name)
    changes = watch.Watch()
    for event in changes.stream(
            api.list_namespaced_config_map, NAMESPACE, label_selector=SITES,
            resource_version=sites.metadata.resource_version):
        site = event["object"]
        if event["type"] == "DELETED":
            cache.pop(site.metadata.name, None)
        else:
            cache[site.metadata.name] = site
        reconcile(api, site.metadata.name)


if __name__ == "__main__":
    config.load_kube_config()
    while True:
        try:
            run(client.CoreV1Api())
        except (ApiException, urllib3.exceptions.HTTPError) as error:
            print("tries again:", error, flush=True)
            time.sleep(1)
