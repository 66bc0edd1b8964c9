import { describe, expect, it } from 'vitest';
import type { EndpointSlice } from '../../types/discovery-v1.ts';
import { created, row, texts, updated } from '../fixture.ts';
import { endpointSlices } from '../discovery-v1.ts';
import { endpointSlicesV1beta1 } from '../discovery-v1beta1.ts';

const HOST = 'orch.io/hostname';
const slice = (changes: object = {}) => ({
  metadata: { name: 's', namespace: 'd', generation: 1, resourceVersion: '1' },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'] }],
  ports: [{ port: 80 }],
  ...changes,
});
const errorsOf = (changes: object) => texts(created(endpointSlices, slice(changes)).errors);
const endpoint = (changes: object) => ({ endpoints: [{ addresses: ['10.0.0.1'], ...changes }] });

describe('an EndpointSlice', () => {
  it('has unnamed TCP ports by default', () => {
    const { object, errors } = created(endpointSlices, slice());
    expect(errors).toEqual([]);
    expect(object.ports).toEqual([{ name: '', protocol: 'TCP', port: 80 }]);
  });

  it.each([
    [{ addressType: '' }, 'addressType: Required value'],
    [
      { addressType: 'MAC' },
      'addressType: Unsupported value: "MAC": supported values: "FQDN", "IPv4", "IPv6"',
    ],
    [endpoint({ addresses: [] }), 'endpoints[0].addresses: Required value: must contain at least 1 address'],
    [
      endpoint({ addresses: ['127.0.0.1'] }),
      'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
    [
      { addressType: 'IPv6' },
      'endpoints[0].addresses[0]: Invalid value: "10.0.0.1": must be a valid IPv6 address',
    ],
    [
      { addressType: 'FQDN', ...endpoint({ addresses: ['host'] }) },
      'endpoints[0].addresses[0]: Invalid value: "host": should be a domain with at least two segments separated by dots',
    ],
    [
      endpoint({ addresses: Array.from({ length: 101 }, (_, at) => `10.0.0.${at + 1}`) }),
      'endpoints[0].addresses: Too many: 101: must have at most 100 items',
    ],
    [
      endpoint({ hints: { forZones: [{ name: 'z' }, { name: 'z' }] } }),
      'endpoints[0].hints.forZones[1].name: Duplicate value: "z"',
    ],
    [{ ports: [{ port: 80 }, { port: 81 }] }, 'ports[1].name: Duplicate value: ""'],
    [
      { ports: [{ protocol: 'ICMP' }] },
      'ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
    ],
  ])('is rejected with %j', (changes, text) => {
    expect(errorsOf(changes)).toEqual([text]);
  });

  it('has an immutable address type', () => {
    const { object } = created(endpointSlices, slice({ endpoints: [] }));
    const { errors } = updated(endpointSlices, object, (draft) => void (draft.addressType = 'IPv6'));
    expect(texts(errors)).toEqual(['addressType: Invalid value: "IPv6": field is immutable']);
  });

  it('increments its generation on changes of content and labels, but not of annotations', () => {
    const { object } = created(endpointSlices, slice());
    const generation = (change: Parameters<typeof updated<typeof object>>[2]) =>
      updated(endpointSlices, object, change).object.metadata?.generation;
    expect(generation((draft) => void (draft.endpoints = []))).toBe(2);
    expect(generation((draft) => void (draft.metadata = { ...draft.metadata, labels: { a: 'b' } }))).toBe(2);
    expect(
      generation((draft) => void (draft.metadata = { ...draft.metadata, annotations: { a: 'b' } })),
    ).toBe(1);
  });

  it('shows at most three addresses in its row', () => {
    const addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5'];
    const { object } = created(endpointSlices, slice({ ...endpoint({ addresses }), ports: [] }));
    expect(row(endpointSlices, object)).toMatchObject({
      AddressType: 'IPv4',
      Ports: '<unset>',
      Endpoints: '10.0.0.1,10.0.0.2,10.0.0.3 + 2 more...',
    });
  });
});

describe('the topology of an endpoint', () => {
  const old = { endpoints: [{ addresses: ['10.0.0.1'], deprecatedTopology: { [HOST]: 'n', x: 'y' } }] };

  it('is writable only at v1beta1', () => {
    expect(created(endpointSlices, slice(old)).object.endpoints?.[0]).not.toHaveProperty(
      'deprecatedTopology',
    );
    const topology = { topology: { [HOST]: 'n', x: 'y' } };
    const { object } = created(endpointSlicesV1beta1, slice(endpoint(topology)));
    expect(object.endpoints?.[0]?.topology).toEqual({ [HOST]: 'n', x: 'y' });
  });

  it('is retained while endpoints are unchanged, and is reduced to a node name when they change', () => {
    const stored: EndpointSlice = { ...created(endpointSlices, slice()).object, ...structuredClone(old) };
    const labelled = updated(endpointSlices, stored, (draft) => {
      draft.metadata = { ...draft.metadata, labels: { a: 'b' } };
    });
    expect(labelled.object.endpoints?.[0]?.deprecatedTopology).toEqual({ [HOST]: 'n', x: 'y' });
    const changed = updated(endpointSlices, stored, (draft) => {
      if (draft.endpoints?.[0]) draft.endpoints[0].addresses = ['10.0.0.2'];
    });
    expect(changed.object.endpoints?.[0]).toMatchObject({ nodeName: 'n' });
    expect(changed.object.endpoints?.[0]).not.toHaveProperty('deprecatedTopology');
  });
});
