import { describe, expect, it } from 'vitest';
import { context, created, decoded, row, texts, updated } from '../fixture.ts';
import { ingressClasses, ingresses, networkPolicies } from '../networking-v1.ts';

const metadata = { name: 'x', namespace: 'd', resourceVersion: '1' };
const service = (port: object = { number: 80 }) => ({ service: { name: 's', port } });
const ingress = (spec: object, meta: object = {}) => ({ metadata: { ...metadata, ...meta }, spec });
const path = (changes: object) => ({
  rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: service(), ...changes }] } }],
});
const errorsOf = (spec: object, meta: object = {}) => texts(created(ingresses, ingress(spec, meta)).errors);

describe('a new Ingress', () => {
  it('is accepted with rules and has no status', () => {
    const { object, errors } = created(ingresses, {
      ...ingress({ defaultBackend: service() }),
      status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
    });
    expect(errors).toEqual([]);
    expect(object.status).toEqual({});
    expect(errorsOf(path({}))).toEqual([]);
  });

  it('is rejected without rules and without a default backend', () => {
    expect(errorsOf({})).toEqual([
      'spec: Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified',
    ]);
  });

  it.each([
    ['without a path type', { pathType: '' }, 'pathType: Required value: pathType must be specified'],
    [
      'with an unknown path type',
      { pathType: 'Regex' },
      'pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ],
    ['with a relative path', { path: 'a' }, 'path: Invalid value: "a": must be an absolute path'],
    ['with an empty segment', { path: '/a//b' }, 'path: Invalid value: "/a//b": must not contain \'//\''],
    [
      'with a path that contains `..`',
      { path: '/a/..' },
      'path: Invalid value: "/a/..": cannot end with \'/..\'',
    ],
    [
      'without a backend',
      { backend: {} },
      'backend: Invalid value: "": resource or service backend is required',
    ],
    ['without a port', { backend: service({}) }, 'backend: Required value: port name or number is required'],
    [
      'with two ports',
      { backend: service({ name: 'http', number: 80 }) },
      'backend: Invalid value: "": cannot set both port name & port number',
    ],
    [
      'with a resource that has no name',
      { backend: { resource: { kind: 'K' } } },
      'backend.resource.name: Required value: name is required',
    ],
  ])('is rejected %s', (_name, changes, text) => {
    expect(errorsOf(path(changes))).toEqual([`spec.rules[0].http.paths[0].${text}`]);
  });

  it('is rejected with an address as host, and accepted with a wildcard', () => {
    expect(errorsOf({ rules: [{ host: '1.2.3.4' }] })).toEqual([
      'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    ]);
    expect(errorsOf({ rules: [{ host: '*.a.b' }] })).toEqual([]);
    expect(errorsOf({ rules: [{ host: 'a.*.b' }] })[0]).toContain('a wildcard DNS-1123 subdomain must start');
  });

  it('causes one warning about the deprecated class annotation', () => {
    const annotations = { 'orch.io/ingress.class': 'c' };
    const { object } = created(ingresses, ingress(path({}), { annotations }));
    const warn = (previous?: typeof object) =>
      ingresses.strategy.warnings?.(object as never, previous as never, context);
    expect(warn()).toEqual([
      `annotation "orch.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
    ]);
    expect(warn(object)).toEqual([]);
  });

  it('cannot have its class in the field and in the annotation', () => {
    const key = 'orch.io/ingress.class';
    const annotations = { [key]: 'c' };
    expect(errorsOf({ ...path({}), ingressClassName: 'c' }, { annotations })).toEqual([
      `annotations.${key}: Invalid value: "c": can not be set when the class field is also set`,
    ]);
  });
});

describe('the status of an Ingress', () => {
  it('is written through its subresource and validated', () => {
    const { object } = created(ingresses, ingress(path({})));
    const { object: next, errors } = updated(
      ingresses,
      object,
      (draft) => {
        draft.spec = {};
        draft.status = { loadBalancer: { ingress: [{ ip: 'x', hostname: '1.2.3.4' }] } };
      },
      'status',
    );
    expect(next.spec).toEqual(object.spec);
    expect(texts(errors)).toEqual([
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address',
      'status.loadBalancer.ingress[0].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    ]);
  });
});

it('the row of an Ingress shows at most three hosts', () => {
  const rules = ['a.b', 'c.d', 'e.f', 'g.h', 'i.j'].map((host) => ({ host }));
  const shown = decoded(ingresses, {
    ...ingress({ rules, tls: [{}], ingressClassName: 'c' }),
    status: { loadBalancer: { ingress: [{ hostname: 'z' }, { ip: '1.2.3.4' }] } },
  });
  expect(row(ingresses, shown)).toMatchObject({
    Name: 'x',
    Class: 'c',
    Hosts: 'a.b,c.d,e.f + 2 more...',
    Address: '1.2.3.4,z',
    Ports: '80, 443',
  });
  expect(row(ingresses, decoded(ingresses, ingress({})))).toMatchObject({ Class: '<none>', Hosts: '*' });
});

describe('an IngressClass', () => {
  const make = (spec: object) => created(ingressClasses, { metadata: { name: 'c' }, spec });

  it('has cluster-scoped parameters by default', () => {
    const { object, errors } = make({ controller: 'a.b/c', parameters: { kind: 'K', name: 'n' } });
    expect(errors).toEqual([]);
    expect(object.spec?.parameters?.scope).toBe('Cluster');
    expect(row(ingressClasses, object)).toMatchObject({ Controller: 'a.b/c', Parameters: 'K/n' });
  });

  it.each([
    [{}, ['spec.controller: Required value']],
    [
      { controller: 'plain' },
      ['spec.controller: Invalid value: "plain": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
    [
      { controller: 'a.b/c', parameters: { kind: 'K', name: 'n', scope: 'Namespace' } },
      ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
    ],
    [
      { controller: 'a.b/c', parameters: { kind: 'K', name: 'n', namespace: 'd' } },
      ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
    ],
  ])('is rejected with %j', (spec, expected) => {
    expect(texts(make(spec).errors)).toEqual(expected);
  });

  it('has an immutable controller', () => {
    const { errors } = updated(ingressClasses, make({ controller: 'a.b/c' }).object, (draft) => {
      if (draft.spec) draft.spec.controller = 'd.e/f';
    });
    expect(texts(errors)).toEqual(['spec.controller: Invalid value: "d.e/f": field is immutable']);
  });
});

describe('a NetworkPolicy', () => {
  const make = (spec: object) => created(networkPolicies, { metadata, spec: { podSelector: {}, ...spec } });

  it('applies to ingress, and to egress if it has rules for egress', () => {
    expect(make({}).object.spec?.policyTypes).toEqual(['Ingress']);
    const { object } = make({ egress: [{ ports: [{ port: 80 }] }] });
    expect(object.spec?.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(object.spec?.egress?.[0]?.ports?.[0]?.protocol).toBe('TCP');
  });

  it.each([
    [
      'an empty peer',
      { ingress: [{ from: [{}] }] },
      'ingress[0].from[0]: Required value: must specify a peer',
    ],
    [
      'a peer with an IP block and a selector',
      { ingress: [{ from: [{ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }] }] },
      'ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer',
    ],
    [
      'an invalid IP block',
      { egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0' } }] }] },
      'egress[0].to[0].ipBlock.cidr: Invalid value: "10.0.0.0": not a valid CIDR',
    ],
    [
      'an exception outside of its IP block',
      { egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '10.0.0.0/8'] } }] }] },
      'egress[0].to[0].ipBlock.except[1]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
    ],
    [
      'an end port below its port',
      { ingress: [{ ports: [{ port: 80, endPort: 79 }] }] },
      'ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`',
    ],
    [
      'an end port without a port',
      { ingress: [{ ports: [{ endPort: 79 }] }] },
      'ingress[0].ports[0].endPort: Invalid value: 79: may not be specified when `port` is not specified',
    ],
    [
      'an unknown policy type',
      { policyTypes: ['Sideways'] },
      'policyTypes[0]: Unsupported value: "Sideways": supported values: "Ingress", "Egress"',
    ],
  ])('is rejected with %s', (_name, spec, text) => {
    expect(texts(make(spec).errors)).toEqual([`spec.${text}`]);
  });

  it('shows its pod selector in its row', () => {
    const { object } = make({ podSelector: { matchLabels: { a: 'b' } } });
    expect(row(networkPolicies, object)).toMatchObject({ 'Pod-Selector': 'a=b' });
  });
});
