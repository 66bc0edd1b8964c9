import { describe, expect, it } from 'vitest';
import { endpoints, services } from '../core-v1-service.ts';
import { created, decoded, row, texts, updated } from '../fixture.ts';

const body = (spec: object = {}): object => ({
  metadata: { name: 'svc', namespace: 'd', resourceVersion: '1' },
  spec: { selector: { a: 'b' }, ports: [{ port: 80 }], ...spec },
});

/** Returns a Service as the server stores it, with allocated values. */
const stored = (spec: object = {}) => {
  const { object } = created(services, body(spec));
  object.spec = {
    ...object.spec,
    clusterIP: '10.0.0.9',
    clusterIPs: ['10.0.0.9'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
  };
  return object;
};

describe('a Service', () => {
  it('has a cluster address and the default target ports', () => {
    expect(decoded(services, body()).spec).toEqual({
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      selector: { a: 'b' },
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
    });
  });

  it('has a client affinity of three hours by default', () => {
    expect(decoded(services, body({ sessionAffinity: 'ClientIP' })).spec?.sessionAffinityConfig).toEqual({
      clientIP: { timeoutSeconds: 10_800 },
    });
  });

  it('has node ports if its type is LoadBalancer', () => {
    expect(decoded(services, body({ type: 'LoadBalancer' })).spec).toMatchObject({
      allocateLoadBalancerNodePorts: true,
      externalTrafficPolicy: 'Cluster',
    });
  });

  it.each([
    [{ ports: [] }, 'spec.ports: Required value'],
    [{ ports: [{ port: 80 }, { port: 81 }] }, 'spec.ports[1].name: Required value'],
    [
      { ports: [{ port: 0, targetPort: 1 }] },
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    [
      {
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 80 },
        ],
      },
      'spec.ports[1]: Duplicate value: core.ServicePort{Name:"", Protocol:"TCP", AppProtocol:(*string)(nil), Port:80, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}',
    ],
    [
      { ports: [{ port: 80, nodePort: 30_001 }] },
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    ],
    [
      { type: 'Bogus' },
      'spec.type: Unsupported value: "Bogus": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
    [{ type: 'ExternalName' }, 'spec.externalName: Required value'],
    [
      { type: 'NodePort', clusterIP: 'None' },
      `spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services`,
    ],
    [
      { clusterIP: 'x' },
      'spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      { clusterIPs: ['10.0.0.8'], clusterIP: '' },
      'spec.clusterIPs: Invalid value: []string{"10.0.0.8"}: must be empty when `clusterIP` is not specified',
    ],
    [{ ipFamilies: ['IPv5', 'IPv5'] }, 'spec.ipFamilies[1]: Duplicate value: "IPv5"'],
    [
      { externalIPs: ['127.0.0.1'] },
      'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
    [
      { loadBalancerSourceRanges: ['10.0.0.0/8'] },
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
    [
      { sessionAffinity: 'Some' },
      'spec.sessionAffinity: Unsupported value: "Some": supported values: "ClientIP", "None"',
    ],
  ])('is rejected with the spec %j', (spec, complaint) => {
    expect(texts(created(services, body(spec)).errors)).toContain(complaint);
  });

  it('retains its address if an update omits it', () => {
    const { object, errors } = updated(services, stored(), ({ spec }) => {
      delete spec?.clusterIP;
      delete spec?.clusterIPs;
      delete spec?.ipFamilies;
    });
    expect(errors).toEqual([]);
    expect(object.spec).toMatchObject({
      clusterIP: '10.0.0.9',
      clusterIPs: ['10.0.0.9'],
      ipFamilies: ['IPv4'],
    });
  });

  it('has an immutable address', () => {
    const { errors } = updated(services, stored(), ({ spec }) => spec && (spec.clusterIP = '10.0.0.99'));
    expect(texts(errors)).toEqual([
      'spec.clusterIPs[0]: Invalid value: []string{"10.0.0.99"}: may not change once set',
    ]);
  });

  it('reports no errors of IP families while an address is invalid', () => {
    const { errors } = created(services, body({ clusterIP: 'x', clusterIPs: ['x', 'None'] }));
    const words = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
    expect(texts(errors)).toEqual([
      `spec.clusterIPs[0]: Invalid value: "x": ${words}`,
      `spec.clusterIPs[1]: Invalid value: "None": ${words}`,
    ]);
  });

  it('may change its IP families while it is headless', () => {
    const headless = created(
      services,
      body({ clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv4'] }),
    );
    const { errors } = updated(services, headless.object, ({ spec }) => spec && (spec.ipFamilies = ['IPv6']));
    expect(errors).toEqual([]);
  });

  it('loses its address when it becomes an ExternalName service', () => {
    const { object, errors } = updated(services, stored(), (draft) => {
      if (draft.spec) draft.spec = { ...draft.spec, type: 'ExternalName', externalName: 'example.com' };
      delete draft.spec?.internalTrafficPolicy;
    });
    expect(errors).toEqual([]);
    expect(object.spec).not.toHaveProperty('clusterIP');
    expect(object.spec).not.toHaveProperty('ipFamilies');
  });

  it('retains node ports by port name, and drops them when its type no longer needs them', () => {
    const before = stored({ type: 'NodePort', ports: [{ name: 'a', port: 80, nodePort: 30_080 }] });
    const kept = updated(services, before, ({ spec }) => {
      if (spec) spec.ports = [{ name: 'a', port: 81, protocol: 'TCP', targetPort: 81 }];
    });
    expect(kept.object.spec?.ports?.[0]?.nodePort).toBe(30_080);
    const given = updated(services, before, ({ spec }) => {
      if (spec) spec.type = 'ClusterIP';
    });
    expect(given.errors).toEqual([]);
    expect(given.object.spec?.ports?.[0]).not.toHaveProperty('nodePort');
    expect(given.object.spec).not.toHaveProperty('externalTrafficPolicy');
    const grown = updated(services, before, ({ spec }) => {
      const added = { name: 'b', port: 81, protocol: 'TCP', targetPort: 81 };
      if (spec) Object.assign(spec, { type: 'ClusterIP', ports: [...(spec.ports ?? []), added] });
    });
    expect([grown.errors, grown.object.spec?.ports?.some((port) => 'nodePort' in port)]).toEqual([[], false]);
    const renumbered = updated(services, before, ({ spec }) => {
      if (spec)
        Object.assign(spec, { type: 'ClusterIP', ports: [{ name: 'a', port: 80, nodePort: 30_081 }] });
    });
    expect(texts(renumbered.errors)).toContain(
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    );
  });

  it('shows its addresses in its row', () => {
    expect(row(services, stored())).toMatchObject({
      'Cluster-IP': '10.0.0.9',
      'External-IP': '<none>',
      'Port(s)': '80/TCP',
      Selector: 'a=b',
    });
    const waiting = stored({ type: 'LoadBalancer', ports: [{ port: 80, nodePort: 30_000 }] });
    expect(row(services, waiting)).toMatchObject({ 'External-IP': '<pending>', 'Port(s)': '80:30000/TCP' });
  });

  it('has load-balancer status entries with either an address or a hostname', () => {
    const wrong = (ingress: object): readonly string[] =>
      texts(
        updated(
          services,
          stored(),
          (draft) => (draft.status = { loadBalancer: { ingress: [ingress] } }),
          'status',
        ).errors,
      );
    expect(wrong({ ip: '1.2.3.4' })).toEqual([]);
    expect(wrong({ ip: 'x' })).toEqual([
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address',
    ]);
    expect(wrong({ hostname: '1.2.3.4' })).toEqual([
      'status.loadBalancer.ingress[0].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    ]);
  });
});

describe('an Endpoints object', () => {
  const of = (subset: object): object => ({ metadata: { name: 'e' }, subsets: [subset] });

  it('shows three addresses and the number of further addresses in its row', () => {
    const addresses = ['10.1.0.1', '10.1.0.2', '10.1.0.3', '10.1.0.4'].map((ip) => ({ ip }));
    const { object, errors } = created(endpoints, of({ addresses, ports: [{ port: 80 }] }));
    expect(errors).toEqual([]);
    expect(row(endpoints, object)['Endpoints']).toBe('10.1.0.1:80,10.1.0.2:80,10.1.0.3:80 + 1 more...');
    expect(row(endpoints, { metadata: { name: 'none' } })['Endpoints']).toBe('<none>');
    const unready = { metadata: { name: 'unready' }, subsets: [{ notReadyAddresses: addresses }] };
    expect(row(endpoints, unready)['Endpoints']).toBe('');
    expect(object.subsets?.[0]?.ports).toEqual([{ port: 80, protocol: 'TCP' }]);
  });

  it.each([
    [{}, 'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
    [
      { addresses: [{ ip: 'x' }] },
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      { addresses: [{ ip: '169.254.0.1' }] },
      'subsets[0].addresses[0].ip: Invalid value: "169.254.0.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ],
    [
      { addresses: [{ ip: '10.1.0.1' }], ports: [{ port: 0 }] },
      'subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ])('is rejected with the subset %j', (subset, complaint) => {
    expect(texts(created(endpoints, of(subset)).errors)).toContain(complaint);
  });
});
