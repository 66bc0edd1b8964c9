import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ROOT, createWorkbench } from '../e2e/process.ts';
import { findPacked } from './clients.ts';
import { type KubectlFixture, startKubectlFixture } from './kubectl.ts';

/** Command lines that both clients run. Values in quotes are one argument. */
const COMMANDS = String.raw`
get ns
get ns -o wide
get ns default
get ns/default
get ns default kube-system
get ns nope
get ns nope default
get ns nope --ignore-not-found
get ns,cm
get ns/default cm/kube-root-ca.crt
get cm -A
get pods
get pods -A
get nodes
get sa -A -o wide
get ns -o name
get ns,cm -o name
get gear -o name
get gear a -o json
get gear a -o yaml
get gear -o json
get gear -o yaml
get ns -o json
get ns,gear -o yaml
get ns default -o yaml --show-managed-fields
get ns --show-labels
get ns -L kubernetes.io/metadata.name
get ns -L kubernetes.io/metadata.name,x
get ns --no-headers
get ns --sort-by=.metadata.name
get ns --sort-by=metadata.creationTimestamp
get ns --sort-by={.metadata.resourceVersion}
get ns -l kubernetes.io/metadata.name=default
get ns --field-selector metadata.name=default
get ns --chunk-size=1
get ns -o jsonpath={.items[*].metadata.name}
get ns -o jsonpath-as-json={.items[*].metadata.name}
get ns default -o jsonpath={.metadata.name}
get ns default -o jsonpath={.nope}
get ns -o custom-columns=N:.metadata.name,U:.metadata.labels
get ns -o custom-columns=N:.metadata.name --no-headers
get gear a -o custom-columns=A:.spec.items,B:.spec.none,C:.nope,D:.spec.flag,E:spec.big,F:{.spec.f},G:.spec.items[*].name
get gear a -o go-template={{.spec}}
get ns -o go-template={{range.items}}{{.metadata.name}},{{end}}
get ns -o go-template --template={{range.items}}{{.metadata.name}},{{end}}
get cm -n kube-public
get cm -n nope
get gears.example.com
get gears.v1.example.com a
get crd gears.example.com -o name
get --raw /version
get --raw /healthz
get pods -o json
get pods -o name
get pods -o yaml
get all
get ns default --subresource=status -o name
get clusterroles --no-headers -o name
get clusterrole view -o yaml
get secrets -A -o name
get cm -A --sort-by=.metadata.namespace
get events
get ns -o wide --show-labels
get ns --show-kind
get nosuch
get ns -o foo
get ns default -A
get
get ns -l a=b
get svc
get endpoints
get priorityclasses
get flowschemas
get apiservices -o name
get crd
get crd -o wide
get leases -A -o name
get role -A -o name
get csr
get ns default -o jsonpath='{.metadata.name}{"\n"}'
`
  .trim()
  .split('\n');

const GEARS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gears.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: gears, singular: gear, kind: Gear }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;
const GEAR = `
apiVersion: example.com/v1
kind: Gear
metadata: { name: a, labels: { app: web, tier: x } }
spec:
  items:
    - { name: x, n: 1, tags: [p, q], m: { k: v } }
    - { name: y, n: 2.5, tags: [] }
    - { name: z, n: 3000000, nested: [{ a: 1 }, { a: 2 }] }
  flag: true
  html: <a&b>
  none: null
  big: 9007199254740993
  f: 1e21
`;

const kubectl = await findPacked('kubectl', 34, 'orchctl beside kubectl');

/** Returns the text without ages, and with one space in place of the padding, which depends on the ages. */
const comparable = (text: string): string =>
  text
    .replace(/\b\d+[smhd](\d+[smh])?(?=\s|$)/gm, 'AGE')
    .replace(/ +$/gm, '')
    .replace(/ {2,}/g, '  ');

describe.skipIf(kubectl.missing)('orchctl', () => {
  const bench = createWorkbench();
  let fixture: KubectlFixture;
  beforeAll(async () => {
    fixture = await startKubectlFixture(kubectl.path);
    await fixture.run('create -f -', { stdin: GEARS });
    await vi.waitFor(() => fixture.run('create -f -', { stdin: GEAR }), { timeout: 30_000 });
  });
  afterAll(async () => {
    await fixture?.close();
    await bench.close();
  });

  it.each(COMMANDS)('prints what kubectl prints, and returns the same code: %s', async (line) => {
    const argv = (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((item) => item.replaceAll("'", ''));
    const ours = bench.spawn(process.execPath, [join(ROOT, 'dist', 'cli', 'orchctl.js'), ...argv], {
      env: { KUBECONFIG: join(fixture.folder, 'data', 'admin.conf') },
    });
    const [theirs, { code }] = await Promise.all([fixture.attempt(argv), ours.exit()]);
    expect({ code, stdout: comparable(ours.stdout) }).toEqual({
      code: theirs.code,
      stdout: comparable(theirs.stdout),
    });
  });
});
