import { describe, expect, it } from 'vitest';
import { cronJobs, deployments, namespaces, pods, secrets } from '../../../api/groups/index.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import type { AnyKind } from '../../../api/kinds/scheme.ts';
import type { Pod, PodSpec } from '../../../api/types/core-v1-pod.ts';
import type { Namespace } from '../../../api/types/core-v1.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { createMetrics } from '../../../base/metrics/metrics.ts';
import { fixtureReader } from '../../authorization/reader.fixture.ts';
import type { AdmissionRequest } from '../../request.ts';
import { admit } from '../request.fixture.ts';
import { createPodSecurity } from './pod-security.ts';

const kind = (of: unknown): AnyKind => of as AnyKind;
const KEY = 'pod-security.kubernetes.io/';
const labelled = (labels: Record<string, string>, name = 'ns'): Namespace => ({
  metadata: {
    name,
    labels: Object.fromEntries(Object.entries(labels).map(([mode, value]) => [KEY + mode, value])),
  },
});
const configuration = (fields: object) => ({
  apiVersion: 'pod-security.admission.config.k8s.io/v1beta1',
  kind: 'PodSecurityConfiguration',
  ...fields,
});
const hostNetwork: PodSpec = { containers: [{ name: 'c', image: 'i' }], hostNetwork: true };
const podOf = (spec: PodSpec = hostNetwork, name = 'web'): Pod => ({
  metadata: { name, namespace: 'ns' },
  spec,
});

function start(labels: Record<string, string>, given?: unknown, existing: readonly Pod[] = []) {
  const metrics = createMetrics();
  const plugin = createPodSecurity(
    {
      namespaces: fixtureReader([labelled(labels)]),
      pods: fixtureReader(existing),
      vocabulary: kubernetesVocabulary,
      clock: createSimulatedClock(),
      metrics,
    },
    given,
  );
  const warnings: string[] = [];
  const notes: Record<string, string> = {};
  return {
    plugin,
    metrics,
    warnings,
    notes,
    run: (object: ApiObject, of: unknown = pods, more: Partial<AdmissionRequest> = {}) =>
      admit(plugin, {
        kind: kind(of),
        object,
        warn: (text) => warnings.push(text),
        annotate: (key, value) => (notes[key] = value),
        ...more,
      }),
  };
}

const VIOLATION = 'host namespaces (hostNetwork=true)';

describe('PodSecurity for pods', () => {
  it('rejects a pod, with the policy in the message', async () => {
    const { run, notes, warnings } = start({ enforce: 'baseline', warn: 'baseline' });
    await expect(run(podOf())).rejects.toMatchObject({
      code: 403,
      message: `pods "web" is forbidden: violates PodSecurity "baseline:latest": ${VIOLATION}`,
    });
    expect(notes).toEqual({ [`${KEY}enforce-policy`]: 'baseline:latest' });
    expect(warnings).toEqual([]);
  });

  it('warns and annotates the audit event without a rejection', async () => {
    const { run, notes, warnings } = start({
      warn: 'baseline',
      'warn-version': 'v1.22',
      audit: 'baseline',
      'audit-version': 'v1.20',
    });
    await run(podOf());
    expect(warnings).toEqual([`would violate PodSecurity "baseline:v1.22": ${VIOLATION}`]);
    expect(notes).toEqual({
      [`${KEY}enforce-policy`]: 'privileged:latest',
      [`${KEY}audit-violations`]: `would violate PodSecurity "baseline:v1.20": ${VIOLATION}`,
    });
  });

  it('checks no pod in a namespace without labels', async () => {
    const { run, notes, warnings } = start({});
    await run(podOf());
    expect([notes, warnings]).toEqual([{}, []]);
  });

  it('enforces the strictest level if a label is invalid, and annotates the reason', async () => {
    const { run, notes } = start({ enforce: 'strict', warn: 'loud' });
    await expect(run(podOf())).rejects.toMatchObject({
      message: expect.stringContaining('violates PodSecurity "restricted:latest": host namespaces'),
    });
    expect(notes[`${KEY}error`]).toBe(
      `Failed to parse policy: [metadata.labels[${KEY}enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, ` +
        `metadata.labels[${KEY}warn]: Invalid value: "loud": must be one of privileged, baseline, restricted]`,
    );
  });

  it('checks only updates that change an image or add a container', async () => {
    const { run } = start({ enforce: 'baseline' });
    const update = (spec: PodSpec, subresource = '') =>
      run(podOf(spec), pods, { operation: 'UPDATE', previous: podOf(), subresource });
    await update({ ...hostNetwork, activeDeadlineSeconds: 1 });
    await update({ ...hostNetwork, containers: [{ name: 'c', image: 'other' }] }, 'status');
    const added = { ...hostNetwork, ephemeralContainers: [{ name: 'e', image: 'i' }] };
    await expect(update(added, 'ephemeralcontainers')).rejects.toMatchObject({ code: 403 });
    await expect(
      update({ ...hostNetwork, containers: [{ name: 'c', image: 'other' }] }),
    ).rejects.toMatchObject({ code: 403 });
  });
});

describe('PodSecurity for pod templates', () => {
  const deployment = { metadata: { name: 'd' }, spec: { template: { spec: hostNetwork } } } as ApiObject;
  const cronJob = {
    metadata: { name: 'j' },
    spec: { jobTemplate: { spec: { template: { spec: hostNetwork } } } },
  } as ApiObject;

  it.each([
    ['a Deployment', deployments, deployment],
    ['a CronJob', cronJobs, cronJob],
  ])('warns about and annotates %s, but never rejects it', async (_what, of, object) => {
    const { run, notes, warnings } = start({ enforce: 'restricted', warn: 'baseline', audit: 'baseline' });
    await run(object, of);
    const text = `would violate PodSecurity "baseline:latest": ${VIOLATION}`;
    expect(warnings).toEqual([text]);
    expect(notes).toEqual({ [`${KEY}audit-violations`]: text });
  });

  it('ignores objects without a template, and other kinds', async () => {
    const { run, plugin, warnings } = start({ warn: 'restricted' });
    await run({ metadata: { name: 'd' } }, deployments);
    expect(warnings).toEqual([]);
    expect(plugin.concerns?.(kind(secrets))).toBe(false);
  });
});

describe('PodSecurity for namespaces', () => {
  const put = (next: Namespace, previous?: Namespace) =>
    [
      next,
      namespaces,
      { namespace: '', name: 'ns', ...(previous && { operation: 'UPDATE' as const, previous }) },
    ] as const;

  it('rejects invalid labels unless they are unchanged', async () => {
    const { run } = start({});
    const wrong = labelled({ enforce: 'strict', 'warn-version': '1.22' });
    await expect(run(...put(wrong))).rejects.toMatchObject({
      code: 422,
      message:
        `Namespace "ns" is invalid: [metadata.labels[${KEY}enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, ` +
        `metadata.labels[${KEY}warn-version]: Invalid value: "1.22": must be "latest" or "v1.x"]`,
    });
    await expect(run(...put(wrong, labelled({})))).rejects.toMatchObject({ code: 422 });
    await run(...put(wrong, wrong));
  });

  it('warns about existing pods that violate the new policy, grouped by violation', async () => {
    const privileged: PodSpec = {
      containers: [{ name: 'c', securityContext: { privileged: true } }],
    };
    const { run, warnings } = start({}, undefined, [
      podOf(hostNetwork, 'b'),
      podOf(hostNetwork, 'a'),
      podOf(hostNetwork, 'c'),
      podOf(privileged, 'p'),
      podOf(privileged, 'o'),
      podOf({ ...privileged, hostPID: true }, 'x'),
      podOf({ containers: [] }, 'fine'),
    ]);
    await run(...put(labelled({ enforce: 'baseline' }), labelled({})));
    expect(warnings).toEqual([
      'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 2 other pods): host namespaces',
      'o (and 1 other pod): privileged',
      'x: host namespaces, privileged',
    ]);
  });

  it.each<[string, Record<string, string>, Record<string, string>]>([
    [
      'its enforced policy stays the same',
      { enforce: 'baseline', warn: 'baseline' },
      { enforce: 'baseline' },
    ],
    ['it becomes privileged', { enforce: 'privileged' }, { enforce: 'baseline' }],
    ['it is relaxed', { enforce: 'baseline' }, { enforce: 'restricted' }],
  ])('checks no pod when %s', async (_what, next, previous) => {
    const { run, warnings } = start({}, undefined, [podOf()]);
    await run(...put(labelled(next), labelled(previous)));
    expect(warnings).toEqual([]);
  });

  it('checks a bounded number of pods, one of each owner first', async () => {
    const of = (at: number): Pod => ({
      ...podOf({ containers: [] }, `p${at}`),
      metadata: {
        name: `p${at}`,
        namespace: 'ns',
        ownerReferences: [{ apiVersion: 'v1', kind: 'R', name: 'r', uid: 'r', controller: true }],
      },
    });
    const { run, warnings } = start({}, undefined, [
      ...Array.from({ length: 3_500 }, (_each, at) => of(at)),
      podOf(hostNetwork, 'last'),
    ]);
    await run(...put(labelled({ enforce: 'baseline' }), labelled({})));
    expect(warnings).toEqual([
      'new PodSecurity enforce level only checked against the first 3000 of 3501 existing pods',
      'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
      'last: host namespaces',
    ]);
  });
});

describe('configuration of PodSecurity', () => {
  it('contains defaults for namespaces without labels', async () => {
    const { run } = start(
      {},
      configuration({ defaults: { enforce: 'baseline', 'enforce-version': 'v1.20' } }),
    );
    await expect(run(podOf())).rejects.toMatchObject({
      message: expect.stringContaining('violates PodSecurity "baseline:v1.20"'),
    });
  });

  const exemptions = { namespaces: ['ns'], usernames: ['root'], runtimeClasses: ['vm'] };
  it.each<[string, Partial<typeof exemptions>, PodSpec, Partial<AdmissionRequest>]>([
    ['namespace', { namespaces: ['ns'] }, hostNetwork, {}],
    ['user', { usernames: ['root'] }, hostNetwork, { user: { username: 'root', groups: [] } }],
    ['runtimeClass', { runtimeClasses: ['vm'] }, { ...hostNetwork, runtimeClassName: 'vm' }, {}],
  ])('exempts requests by %s, and annotates the audit event', async (why, given, spec, more) => {
    const { run, notes, metrics } = start({ enforce: 'restricted' }, configuration({ exemptions: given }));
    await run(podOf(spec), pods, more);
    expect(notes).toEqual({ [`${KEY}exempt`]: why });
    expect((await metrics.expose()).text).toContain(
      'pod_security_exemptions_total{request_operation="create",resource="pod",subresource=""} 1',
    );
  });

  it('causes a warning about a policy on an exempt namespace', async () => {
    const { run, warnings } = start({}, configuration({ exemptions }));
    await run(labelled({ enforce: 'baseline', warn: 'restricted' }), namespaces, {
      namespace: '',
      name: 'ns',
    });
    await run(labelled({}), namespaces, { namespace: '', name: 'ns' });
    expect(warnings).toEqual([
      'namespace "ns" is exempt from Pod Security, and the policy (enforce=baseline:latest, warn=restricted:latest) will be ignored',
    ]);
  });

  it.each<[string, unknown, string]>([
    [
      'an invalid level',
      { defaults: { warn: 'x' } },
      'defaults.warn: Invalid value: "x": must be one of privileged, baseline, restricted',
    ],
    [
      'an invalid version',
      { defaults: { 'audit-version': 'v2.0' } },
      'defaults.audit-version: Invalid value: "v2.0": must be "latest" or "v1.x"',
    ],
    [
      'a duplicate name',
      { exemptions: { usernames: ['a', 'a'] } },
      'exemptions.usernames[1]: Duplicate value: "a"',
    ],
    ['an empty name', { exemptions: { usernames: [''] } }, 'exemptions.usernames[0]: Required value'],
    [
      'an invalid namespace name',
      { exemptions: { namespaces: ['A'] } },
      'exemptions.namespaces[0]: Invalid value: "A"',
    ],
    ['an unknown field', { default: {} }, 'the configuration has an unknown field "default"'],
    [
      'another kind',
      { kind: 'Pod' },
      'received "Pod" of "pod-security.admission.config.k8s.io/v1beta1": expected PodSecurityConfiguration of',
    ],
  ])('is rejected for %s', (_what, fields, message) => {
    expect(() => start({}, configuration(fields as object))).toThrow(message);
  });
});

describe('metrics of PodSecurity', () => {
  it('count decisions by policy', async () => {
    const { run, metrics } = start({
      enforce: 'baseline',
      'enforce-version': 'v1.20',
      audit: 'baseline',
      'audit-version': 'v1.99',
    });
    await expect(run(podOf())).rejects.toMatchObject({ code: 403 });
    await run(podOf({ containers: [] }));
    const { text } = await metrics.expose();
    const line = (decision: string, version: string, mode: string) =>
      `pod_security_evaluations_total{decision="${decision}",mode="${mode}",policy_level="baseline",policy_version="${version}",request_operation="create",resource="pod",subresource=""} 1`;
    expect(text).toContain(line('deny', 'v1.20', 'enforce'));
    expect(text).toContain(line('allow', 'v1.20', 'enforce'));
    expect(text).toContain(line('deny', 'future', 'audit'));
  });
});
