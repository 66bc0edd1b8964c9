import { describe, expect, it } from 'vitest';
import { addressOf, withAddress } from './advertised-address.ts';

const annotation = 'example.com/dashboard-address';
const leaseOf = (holderIdentity: string, annotations: Readonly<Record<string, string>>) => ({
  metadata: { annotations },
  spec: { holderIdentity },
});

describe('the advertised address of a holder', () => {
  it('is read back by other processes, and keeps other annotations', () => {
    const address = 'https://host-1:10257/dashboard/';
    const annotations = withAddress({ 'example.com/x': 'y' }, 'host-1_a', { annotation, address });
    expect(annotations['example.com/x']).toBe('y');
    expect(addressOf(leaseOf('host-1_a', annotations), annotation, 'host-3_c')).toBe(address);
  });

  it('is ignored after another holder took over without an address', () => {
    const annotations = withAddress({}, 'host-1_a', { annotation, address: 'https://host-1' });
    expect(addressOf(leaseOf('host-2_b', annotations), annotation, 'host-3_c')).toBeUndefined();
    expect(withAddress(annotations, 'host-2_b', { annotation, address: '' })).toEqual({});
  });

  it('is ignored if it is local to another host', () => {
    const address = 'http://127.0.0.1:10257/dashboard/';
    const lease = leaseOf('host_1_a', withAddress({}, 'host_1_a', { annotation, address }));
    expect(addressOf(lease, annotation, 'host_1_b')).toBe(address);
    expect(addressOf(lease, annotation, 'host_2_b')).toBeUndefined();
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'host-1:80', '/dashboard', ''])(
    'is ignored if it is %j',
    (address) => {
      const annotations = { [annotation]: `host-1_a ${address}` };
      expect(addressOf(leaseOf('host-1_a', annotations), annotation, 'host-3_c')).toBeUndefined();
    },
  );
});
