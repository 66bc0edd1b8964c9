import { describe, expect, it } from 'vitest';
import { configMaps, events, limitRanges, namespaces, nodes, secrets, serviceAccounts } from '../core-v1.ts';
import { created, row, texts, updated } from '../fixture.ts';

const meta = (name: string, rest: object = {}) => ({ name, namespace: 'd', resourceVersion: '1', ...rest });
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a Namespace', () => {
  const { object } = created(namespaces, { metadata: { name: 'ns' }, status: { phase: 'Terminating' } });

  it('is created active, with a finalizer and with a label that holds its name', () => {
    expect(object.spec).toEqual({ finalizers: ['orch'] });
    expect(object.status).toEqual({ phase: 'Active' });
    expect(object.metadata?.labels).toEqual({ 'orch.io/metadata.name': 'ns' });
  });

  it('loses a finalizer only through the subresource finalize', () => {
    expect(updated(namespaces, object, (draft) => (draft.spec = {})).object.spec).toEqual(object.spec);
    expect(updated(namespaces, object, (draft) => (draft.spec = {}), 'finalize').object.spec).toEqual({});
  });

  it('rejects a finalizer without a domain', () => {
    expect(
      texts(created(namespaces, { metadata: { name: 'ns' }, spec: { finalizers: ['mine'] } }).errors),
    ).toEqual([
      'spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  it('retains the order of its finalizers and adds the finalizer of the server', () => {
    const made = (finalizers: readonly string[]) =>
      created(namespaces, { metadata: { name: 'ns' }, spec: { finalizers } }).object.spec?.finalizers;
    expect(made(['a.b/c'])).toEqual(['a.b/c', 'orch']);
    expect(made(['orch', 'a.b/c'])).toEqual(['orch', 'a.b/c']);
  });

  it('is Terminating only while it is being deleted', () => {
    const { errors } = updated(
      namespaces,
      object,
      (draft) => (draft.status = { phase: 'Terminating' }),
      'status',
    );
    expect(texts(errors)).toEqual([
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ]);
  });
});

describe('a ServiceAccount', () => {
  it('retains only the names of its Secrets', () => {
    const body = { metadata: meta('s'), secrets: [{ kind: 'Secret', namespace: 'other', name: 'a' }] };
    const { object } = created(serviceAccounts, body);
    expect(object.secrets).toEqual([{ name: 'a' }]);
    const next = updated(serviceAccounts, object, (draft) => draft.secrets?.push({ name: 'b', uid: '1' }));
    expect(next.object.secrets).toEqual([{ name: 'a' }, { name: 'b' }]);
  });
});

describe('a Secret', () => {
  it('is Opaque by default, and merges plain strings into its data', () => {
    const { object } = created(secrets, {
      metadata: meta('s'),
      data: { a: base64('1') },
      stringData: { a: '2', b: 'ü' },
    });
    expect(object).toMatchObject({ type: 'Opaque', data: { a: base64('2'), b: base64('ü') } });
    expect(object).not.toHaveProperty('stringData');
  });

  it('accepts a key of any name, including __proto__', () => {
    const body = { metadata: meta('s'), stringData: JSON.parse('{"__proto__":"x"}') as object };
    const { object } = created(secrets, body);
    expect(Object.keys(object.data ?? {})).toEqual(['__proto__']);
  });

  it.each<[string, object, string[]]>([
    [
      'orch.io/service-account-token',
      {},
      ['metadata.annotations[orch.io/service-account.name]: Required value'],
    ],
    ['orch.io/tls', {}, ['data[tls.crt]: Required value', 'data[tls.key]: Required value']],
    ['orch.io/basic-auth', {}, ['data[%s][username]: Required value', 'data[%s][password]: Required value']],
    ['orch.io/basic-auth', { username: '' }, []],
    ['orch.io/dockerconfigjson', {}, ['data[.dockerconfigjson]: Required value']],
    ['example.com/own', {}, []],
  ])('with the type %s and the data %j has the errors %j', (type, data, errors) => {
    expect(texts(created(secrets, { metadata: meta('s'), type, data }).errors)).toEqual(errors);
  });

  it('does not reveal its contents in an error', () => {
    const data = { '.dockerconfigjson': base64('top secret') };
    const { errors } = created(secrets, { metadata: meta('s'), type: 'orch.io/dockerconfigjson', data });
    expect(texts(errors)).toHaveLength(1);
    expect(texts(errors).join()).not.toContain('top');
  });

  it('has an immutable type and, if it is marked as immutable, immutable data', () => {
    const { object } = created(secrets, { metadata: meta('s'), immutable: true, data: { a: base64('1') } });
    const { errors } = updated(secrets, object, (draft) => {
      draft.type = 'other';
      draft.data = {};
      draft.immutable = false;
    });
    expect(texts(errors)).toEqual([
      'type: Invalid value: "other": field is immutable',
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
    ]);
  });

  it('contains at most 1 MiB', () => {
    const errorsOf = (bytes: number) =>
      texts(
        created(secrets, { metadata: meta('s'), data: { a: Buffer.alloc(bytes).toString('base64') } }).errors,
      );
    expect(errorsOf(1_048_576)).toEqual([]);
    expect(errorsOf(1_048_577)).toEqual(['data: Too long: must have at most 1048576 bytes']);
  });
});

describe('a ConfigMap', () => {
  it('requires unique, valid keys', () => {
    const body = { metadata: meta('c'), data: { a: 'x', '..': 'y' }, binaryData: { a: 'eA==' } };
    expect(texts(created(configMaps, body).errors)).toEqual([
      'data[..]: Invalid value: "..": must not be \'..\'',
      'data[a]: Invalid value: "a": duplicate of key present in binaryData',
    ]);
  });

  it('allows only changes of labels once it is immutable', () => {
    const { object } = created(configMaps, { metadata: meta('c'), immutable: true, data: { a: '1' } });
    expect(
      updated(configMaps, object, (draft) => (draft.metadata = meta('c', { labels: { a: 'b' } }))).errors,
    ).toEqual([]);
    expect(texts(updated(configMaps, object, (draft) => (draft.data = { a: '2' })).errors)).toEqual([
      'data: Forbidden: field is immutable when `immutable` is set',
    ]);
  });

  it('counts text and binary data in its row', () => {
    const { object } = created(configMaps, { metadata: meta('c'), data: { a: '' }, binaryData: { b: '' } });
    expect(row(configMaps, object)).toEqual({ Name: 'c', Data: 2, Age: '0s' });
  });
});

describe('an Event', () => {
  const event = (namespace: string, involved: string | undefined) => ({
    metadata: { name: 'e', namespace },
    involvedObject: { kind: 'Pod', name: 'p', namespace: involved },
    lastTimestamp: '2024-01-02T03:02:35Z',
    reason: 'Started',
    type: 'Normal',
  });

  it.each([
    ['d', 'd', true],
    ['d', 'other', false],
    ['default', undefined, true],
    ['d', undefined, false],
  ])('in namespace %s about an object in %s is accepted: %s', (namespace, involved, accepted) => {
    expect(texts(created(events, event(namespace, involved)).errors)).toEqual(
      accepted
        ? []
        : [`involvedObject.namespace: Invalid value: "${involved ?? ''}": does not match event.namespace`],
    );
  });

  it('shows its last time and its object in its row', () => {
    expect(row(events, created(events, event('d', 'd')).object)).toMatchObject({
      'Last Seen': '90s',
      Object: 'pod/p',
      Count: 1,
    });
  });

  it('is selectable by the fields of its object', () => {
    const { object } = created(events, event('d', 'd'));
    expect(events.selectableFields['involvedObject.name']?.(object as never)).toBe('p');
  });
});

describe('a Node', () => {
  it('retains its status on create', () => {
    const { object } = created(nodes, { metadata: { name: 'n' }, status: { capacity: { cpu: '4' } } });
    expect(object.status).toMatchObject({ capacity: { cpu: '4' }, allocatable: { cpu: '4' } });
  });

  it('shows state, roles and version in its row', () => {
    const { object } = created(nodes, {
      metadata: { name: 'n', labels: { 'node-role.orch.io/worker': '', 'node-role.orch.io/infra': '' } },
      spec: { unschedulable: true },
      status: { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { kubeletVersion: 'v1.24.0' } },
    });
    expect(row(nodes, object)).toMatchObject({
      Status: 'Ready,SchedulingDisabled',
      Roles: 'infra,worker',
      Version: 'v1.24.0',
      'External-IP': '<none>',
    });
  });

  it('requires unique taints with known effects', () => {
    const taints = [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'a', effect: 'NoSchedule' },
      { key: 'b', effect: 'Never' },
    ];
    expect(texts(created(nodes, { metadata: { name: 'n' }, spec: { taints } }).errors)).toEqual([
      expect.stringContaining('metadata.taints[1]: Duplicate value: core.Taint{'),
      'metadata.taints[2].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ]);
  });

  it('has an immutable pod range once it is set', () => {
    const { object } = created(nodes, { metadata: { name: 'n' }, spec: { podCIDR: '10.0.0.0/24' } });
    const { errors } = updated(
      nodes,
      object,
      (draft) => (draft.spec = { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] }),
    );
    expect(texts(errors)).toEqual([
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      '[]: Forbidden: node updates may only change labels, taints, or capacity (or configSource, if the DynamicKubeletConfig feature gate is enabled)',
    ]);
  });

  it('rejects negative amounts and repeated addresses', () => {
    const status = { capacity: { cpu: '-1' }, allocatable: { cpu: '1' } };
    const { object, errors } = created(nodes, { metadata: { name: 'n' }, status });
    const less = 'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0';
    expect(texts(errors)).toEqual([less]);
    const report = updated(
      nodes,
      object,
      (draft) => {
        const address = { type: 'Hostname', address: 'n' };
        draft.status = { ...draft.status, addresses: [address, { ...address }] };
      },
      'status',
    );
    expect(texts(report.errors)).toEqual([
      less,
      'status.addresses[1]: Duplicate value: core.NodeAddress{Type:"Hostname", Address:"n"}',
    ]);
  });

  it.each([
    [
      ['10.0.0.0/24', '10.0.0.0/24'],
      ['spec.podCIDRs', 'spec.podCIDRs[1]'],
    ],
    [
      ['10.0.0.0/24', 'x'],
      ['spec.podCIDRs[1]', 'spec.podCIDRs', 'spec.podCIDRs'],
    ],
    [['10.0.0.0/24', 'fd00::/64'], []],
  ])('with the pod ranges %j has errors at %j', (podCIDRs, fields) => {
    const { errors } = created(nodes, { metadata: { name: 'n' }, spec: { podCIDRs } });
    expect(errors.map(({ field }) => field)).toEqual(fields);
  });

  it('drops the dynamic kubelet configuration', () => {
    const configSource = { configMap: { name: 'c' } };
    const body = { metadata: { name: 'n' }, spec: { configSource }, status: { config: {} } };
    const { object } = created(nodes, body);
    expect(object.spec).toEqual({});
    expect(object.status).not.toHaveProperty('config');
    const set = updated(nodes, object, (draft) => (draft.spec = { configSource } as never));
    expect(set.object.spec).toEqual({});
  });

  it('prefers the older field of its pod range if the two fields differ', () => {
    const ranges = { podCIDR: '10.1.0.0/24', podCIDRs: ['10.0.0.0/24', 'fd00::/64'] };
    const { object } = created(nodes, { metadata: { name: 'n' }, spec: ranges });
    expect(object.spec).toMatchObject({ podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] });
  });
});

describe('a LimitRange', () => {
  const range = (...limits: object[]) => ({ metadata: meta('l'), spec: { limits } });

  it('has its uid as its name if it has no name', () => {
    const { object } = created(limitRanges, { metadata: { namespace: 'd' }, spec: { limits: [] } });
    expect(object.metadata?.name).toBe('uid-1');
  });

  it('defaults limits to the maximum, and requests to the limit or else to the minimum', () => {
    const item = { type: 'Container', max: { cpu: '2' }, min: { cpu: '1', memory: '1Gi' } };
    expect(created(limitRanges, range(item)).object.spec?.limits[0]).toMatchObject({
      default: { cpu: '2' },
      defaultRequest: { cpu: '2', memory: '1Gi' },
    });
  });

  it.each<[string, object, string]>([
    [
      'a minimum above the maximum',
      { type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } },
      'spec.limits[0].min[cpu]: Invalid value: resource.Quantity{i:resource.int64Amount{value:2, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"2", Format:"DecimalSI"}: min value 2 is greater than max value 1',
    ],
    [
      'defaults for the type Pod',
      { type: 'Pod', default: { cpu: '1' } },
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
    ],
    [
      'a PersistentVolumeClaim limit without minimum and maximum',
      { type: 'PersistentVolumeClaim' },
      'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ],
    [
      'a custom type without a domain',
      { type: 'Thing' },
      'spec.limits[0].type: Invalid value: "Thing": must be a standard limit type or fully qualified',
    ],
    [
      'a ratio of limit to request below one',
      { type: 'Container', maxLimitRequestRatio: { cpu: '500m' } },
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: resource.Quantity{i:resource.int64Amount{value:500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"500m", Format:"DecimalSI"}: ratio 500m is less than 1',
    ],
  ])('rejects %s', (_what, item, error) => {
    expect(texts(created(limitRanges, range(item)).errors)).toEqual([error]);
  });

  it('rejects a repeated type', () => {
    const errors = texts(created(limitRanges, range({ type: 'Pod' }, { type: 'Pod' })).errors);
    expect(errors).toEqual(['spec.limits[1].type: Duplicate value: "Pod"']);
  });
});
