import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../api/kinds/kind.ts';
import { offMetrics } from '../../base/metrics/metrics.ts';
import { noEvents } from '../../runtime/index.ts';
import type { Followed } from './graph.ts';
import { createUnservedOwners } from './unserved-owners.ts';

const followed = { resource: { group: '', version: 'v1', kind: 'ConfigMap' } } as Followed;
const dependentOf = (apiVersion: string): ApiObject => ({
  metadata: {
    name: 'child',
    uid: 'c',
    ownerReferences: [{ apiVersion, kind: 'Parent', name: 'p', uid: 'u' }],
  },
});

/** Creates unserved owners with a graph in which no resource is served. */
function start() {
  const reasons: string[] = [];
  const events = {
    ...noEvents,
    record: (_object: unknown, _type: string, reason: string) => void reasons.push(reason),
  };
  const graph = { ownerResource: () => undefined, servedVersions: () => [] };
  const owners = createUnservedOwners({ events, metrics: offMetrics }, graph);
  return { owners, handler: owners.handlerOf(followed), reasons };
}

describe('createUnservedOwners', () => {
  it('reports an owner once, after a discovery that began after the reference was observed confirms it', () => {
    const { owners, handler, reasons } = start();
    owners.discoveryBegins();
    handler.onApply(dependentOf('example.com/v1'), undefined);
    owners.discoveryEnded(new Set());
    expect(reasons).toEqual([]);
    for (let nth = 0; nth < 3; nth++) {
      owners.discoveryBegins();
      owners.discoveryEnded(new Set());
      expect(reasons).toEqual(['OwnerRefNotServed']);
    }
  });

  it("does not report an owner while the owner's group version cannot be read", () => {
    const { owners, handler, reasons } = start();
    handler.onApply(dependentOf('down.example.com/v1'), undefined);
    owners.discoveryBegins();
    owners.discoveryEnded(new Set(['down.example.com/v1']));
    expect(reasons).toEqual([]);
    owners.discoveryBegins();
    owners.discoveryEnded(new Set(['another.example.com/v1']));
    expect(reasons).toEqual(['OwnerRefNotServed']);
  });

  it('does not report an owner once the dependent was deleted', () => {
    const { owners, handler, reasons } = start();
    handler.onApply(dependentOf('example.com/v1'), undefined);
    handler.onDelete(dependentOf('example.com/v1'));
    owners.discoveryBegins();
    owners.discoveryEnded(new Set());
    expect(reasons).toEqual([]);
  });
});
