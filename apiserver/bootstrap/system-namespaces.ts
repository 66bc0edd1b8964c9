import { namespaces } from '../../api/groups/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { BootstrapWriter } from './bootstrap-writer.ts';

/** Returns the names of the namespaces that every cluster has. */
const systemNamespaces = (v: Vocabulary): readonly string[] => [
  v.namespaces.system,
  v.namespaces.public,
  v.namespaces.nodeLease,
  'default',
];

/** Creates the missing system namespaces. */
export async function ensureSystemNamespaces(writer: BootstrapWriter, v: Vocabulary): Promise<void> {
  await Promise.all(
    systemNamespaces(v).map((name) =>
      writer.ensure(namespaces, { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }),
    ),
  );
}
