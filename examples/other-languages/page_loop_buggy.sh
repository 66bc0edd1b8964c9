#!/bin/sh
# Keeps a ConfigMap NAME-page for each ConfigMap NAME with the label example.com/role=site, by kubectl.
# It has a bug: a failed list of the sites looks like an empty one, and all pages are deleted.
names() {
  kubectl get configmaps -n default -l "example.com/role=$1" -o jsonpath='{.items[*].metadata.name}'
}

while true; do
  sites=" $(names site) "
  pages=" $(names page) "
  for site in $sites; do
    case "$pages" in
      *" $site-page "*) ;;
      *) printf '%s\n' 'apiVersion: v1' 'kind: ConfigMap' 'metadata:' "  name: $site-page" \
        '  namespace: default' '  labels: { example.com/role: page }' 'data: { html: page }' |
        kubectl create -f - ;;
    esac
  done
  for page in $pages; do
    case "$sites" in
      *" ${page%-page} "*) ;;
      *) kubectl delete configmap -n default "$page" ;;
    esac
  done
  sleep 1
done
