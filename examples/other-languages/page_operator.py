"""Keeps a ConfigMap `NAME-page` for each ConfigMap `NAME` with the label example.com/role=site.

Each page records the uid of its site. A page of another site, or of none, is deleted under the condition
that it is still the same object.
"""

import time

import urllib3
from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException

NAMESPACE = "default"
SITES = "example.com/role=site"
PAGES = "example.com/role=page"
SITE_UID = "example.com/site-uid"


def page_of(site):
    return client.V1ConfigMap(
        metadata=client.V1ObjectMeta(
            name=site.metadata.name + "-page",
            labels={"example.com/role": "page"},
            annotations={SITE_UID: site.metadata.uid},
        ),
        data={"html": "<h1>%s</h1>" % site.data["title"]},
    )


def live_site(api, name):
    """Reads the newest state of a site, because the cache may be old."""
    try:
        return api.read_namespaced_config_map(name, NAMESPACE)
    except ApiException as error:
        if error.status == 404:
            return None
        raise


def delete_page(api, page):
    """Deletes this page, and no later one with its name."""
    only = client.V1DeleteOptions(preconditions=client.V1Preconditions(uid=page.metadata.uid))
    try:
        api.delete_namespaced_config_map(page.metadata.name, NAMESPACE, body=only)
    except ApiException as error:
        if error.status not in (404, 409):
            raise


def reconcile(api):
    """Compares all sites with all pages."""
    sites = {site.metadata.name: site for site in api.list_namespaced_config_map(
        NAMESPACE, label_selector=SITES, resource_version="0").items}
    pages = {page.metadata.name: page for page in api.list_namespaced_config_map(
        NAMESPACE, label_selector=PAGES, resource_version="0").items}
    for name, page in pages.items():
        site = live_site(api, name[:-len("-page")])
        if site is None or site.metadata.uid != page.metadata.annotations[SITE_UID]:
            delete_page(api, page)
    for site in sites.values():
        page = pages.get(site.metadata.name + "-page")
        if page is not None and page.metadata.annotations[SITE_UID] == site.metadata.uid:
            continue
        current = live_site(api, site.metadata.name)
        if current is None:
            continue
        try:
            api.create_namespaced_config_map(NAMESPACE, page_of(current))
        except ApiException as error:
            if error.status != 409:
                raise


def run(api):
    """Reconciles after each change of a site, and every few seconds."""
    while True:
        reconcile(api)
        changes = watch.Watch()
        for _ in changes.stream(
                api.list_namespaced_config_map, NAMESPACE, label_selector=SITES, timeout_seconds=2):
            reconcile(api)


if __name__ == "__main__":
    config.load_kube_config()
    while True:
        try:
            run(client.CoreV1Api())
        except (ApiException, urllib3.exceptions.HTTPError) as error:
            print("tries again:", error, flush=True)
            time.sleep(1)
