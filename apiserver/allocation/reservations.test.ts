import { describe, expect, it } from 'vitest';
import type { LogFields, Logger } from '../../base/log/logger.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';
import { StorageConditionFailed, type Storage } from '../storage/storage.ts';
import { createReservations } from './reservations.ts';

const SERVICES = '/registry/core/services/';

const service = (spec: object): Buffer =>
  Buffer.from(JSON.stringify({ kind: 'Service', apiVersion: 'v1', metadata: {}, spec }));

const nodePort = (clusterIP: string, ...ports: readonly number[]): Buffer =>
  service({ type: 'NodePort', clusterIPs: [clusterIP], ports: ports.map((port) => ({ nodePort: port })) });

const memory = (): Storage => createMemoryStorage({ stamp: stampResourceVersion });

const reserved = async (storage: Storage): Promise<readonly string[]> =>
  (await storage.list('/registry/ranges/')).items.map(({ key, value }) => {
    const { holder } = JSON.parse(value.toString()) as { holder: string };
    return `${key.slice('/registry/ranges/'.length)} ${holder}`;
  });

const on = (storage: Storage, log: Logger = silentLogger) =>
  createReservations({ storage, services: SERVICES, log });

describe('the reservations of a Service', () => {
  it("are written in one transaction with every change of the Service's addresses and ports", async () => {
    const base = memory();
    const { storage, taken } = on(base);
    const key = `${SERVICES}default/a`;
    let { revision } = await storage.put(key, nodePort('10.0.0.1', 30_001, 30_002), 'absent');
    expect(await reserved(base)).toEqual(
      [
        'servicenodeports/30001 default/a',
        'servicenodeports/30002 default/a',
        'serviceips/10.0.0.1 default/a',
      ].sort(),
    );
    expect(await taken()).toEqual({ addresses: new Set(['10.0.0.1']), ports: new Set([30_001, 30_002]) });
    const balanced = service({
      type: 'LoadBalancer',
      clusterIPs: ['10.0.0.1', 'fd00::1'],
      ports: [{ nodePort: 30_002 }],
      healthCheckNodePort: 30_005,
    });
    ({ revision } = await storage.put(key, balanced, revision));
    expect(await reserved(base)).toEqual([
      'serviceips/10.0.0.1 default/a',
      'serviceips/fd00::1 default/a',
      'servicenodeports/30002 default/a',
      'servicenodeports/30005 default/a',
    ]);
    ({ revision } = await storage.put(
      key,
      service({ type: 'ClusterIP', clusterIPs: ['10.0.0.1'] }),
      revision,
    ));
    expect(await reserved(base)).toEqual(['serviceips/10.0.0.1 default/a']);
    ({ revision } = await storage.put(key, service({ type: 'ExternalName', clusterIPs: [] }), revision));
    expect(await reserved(base)).toEqual([]);
    ({ revision } = await storage.put(key, nodePort('10.0.0.1', 30_001), revision));
    await storage.delete(key, revision);
    expect(await reserved(base)).toEqual([]);
  });

  it('are rejected together if another Service has one of the values', async () => {
    const base = memory();
    const { storage } = on(base);
    await storage.put(`${SERVICES}default/a`, nodePort('10.0.0.1', 30_001), 'absent');
    const second = storage.put(`${SERVICES}default/b`, nodePort('10.0.0.2', 30_001), 'absent');
    await expect(second).rejects.toThrow(StorageConditionFailed);
    expect(await base.get(`${SERVICES}default/b`)).toBeUndefined();
    expect(await reserved(base)).toHaveLength(2);
  });

  it('are not written for other kinds', async () => {
    const base = memory();
    await on(base).storage.put('/registry/core/pods/default/a', nodePort('10.0.0.1', 30_001), 'absent');
    expect(await reserved(base)).toEqual([]);
  });
});

describe('a repair of the reservations', () => {
  it('reserves the values of stored Services, and deletes reservations without a Service', async () => {
    const base = memory();
    await base.put(`${SERVICES}default/a`, nodePort('10.0.0.1', 30_001), 'absent');
    await base.put(`${SERVICES}default/b`, nodePort('None', 30_002), 'absent');
    const { storage, repair } = on(base);
    const { revision } = await storage.put(`${SERVICES}default/c`, nodePort('10.0.0.3', 30_003), 'absent');
    await base.delete(`${SERVICES}default/c`, revision);
    await repair();
    const right = [
      'serviceips/10.0.0.1 default/a',
      'servicenodeports/30001 default/a',
      'servicenodeports/30002 default/b',
    ];
    expect(await reserved(base)).toEqual(right);
    const before = await base.revision();
    await repair();
    expect(await base.revision()).toBe(before);
  });

  it('keeps one reservation for a value of two Services, and names both in the log', async () => {
    const base = memory();
    const warned: LogFields[] = [];
    const log: Logger = { ...silentLogger, warn: (fields: LogFields) => void warned.push(fields) };
    const one = await base.put(`${SERVICES}default/a`, nodePort('10.0.0.1'), 'absent');
    await base.put(`${SERVICES}default/b`, nodePort('10.0.0.1'), 'absent');
    const { storage, repair } = on(base, log);
    await repair();
    expect(await reserved(base)).toEqual(['serviceips/10.0.0.1 default/a']);
    expect(warned).toEqual([
      { reservation: 'serviceips/10.0.0.1', services: [`${SERVICES}default/a`, `${SERVICES}default/b`] },
    ]);
    await storage.delete(one.key, one.revision);
    await repair();
    expect(await reserved(base)).toEqual(['serviceips/10.0.0.1 default/b']);
  });

  it('repeats if a Service changes meanwhile', async () => {
    const base = memory();
    const key = `${SERVICES}default/a`;
    const { revision } = await base.put(key, nodePort('10.0.0.1'), 'absent');
    let changed = false;
    const racing: Storage = {
      ...base,
      async put(...write) {
        if (!changed && write[0].startsWith('/registry/ranges/')) {
          changed = true;
          await base.put(key, nodePort('10.0.0.2'), revision);
        }
        return base.put(...write);
      },
    };
    await on(racing).repair();
    expect(await reserved(base)).toEqual(['serviceips/10.0.0.2 default/a']);
  });
});
