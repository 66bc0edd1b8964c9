import { apiServices } from '../../api/groups/apiregistration-v1.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { APIService } from '../../api/types/apiregistration-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { BootstrapWriter } from '../bootstrap/bootstrap-writer.ts';
import type { ObjectReader } from '../registry/registry.ts';
import { REGISTRATION_GROUP, prioritiesOf } from './priorities.ts';

/** A group version that this server serves itself. */
export interface LocalVersion {
  /** Group without the domain suffix, as in `Kind`. */
  readonly group: string;
  readonly version: string;
  /** True if the group version belongs to CustomResourceDefinitions. */
  readonly isCustom: boolean;
}

/**
 * Value of the label on APIService objects that the server manages. Objects for built-in versions (`onstart`)
 * are corrected at each start, objects for custom versions (`true`) at any time.
 */
type Management = 'onstart' | 'true';

/**
 * Creates and corrects the APIService objects of this server's group versions, and deletes those of removed
 * versions. Objects without the server's label belong to users and are never changed.
 */
export async function reconcileLocalServices(options: {
  readonly writer: BootstrapWriter;
  readonly reader: Pick<ObjectReader<APIService>, 'get' | 'list'>;
  readonly vocabulary: Vocabulary;
  readonly versions: readonly LocalVersion[];
  /** True at startup. Objects for built-in versions are reconciled only then. */
  readonly isStart: boolean;
}): Promise<void> {
  const { writer, reader, vocabulary, versions, isStart } = options;
  const label = vocabulary.automanagedLabel;
  const wanted = new Map(
    versions
      .filter(({ group }) => group !== REGISTRATION_GROUP)
      .map((version) => localService(version, vocabulary))
      .map((service) => [service.metadata?.name ?? '', service]),
  );
  const missing = [...wanted].filter(([name, service]) => {
    if (!isStart && service.metadata?.labels?.[label] !== 'true') return false;
    const current = reader.get('', name);
    return current === undefined || corrected(current, service, label) !== undefined;
  });
  const outdated = reader.list().filter(({ metadata }) => {
    const management = metadata?.labels?.[label];
    const isOurs = management === 'true' || (isStart && management === 'onstart');
    return isOurs && !wanted.has(metadata?.name ?? '');
  });
  await Promise.all([
    ...missing.map(([, service]) =>
      writer.ensure(apiServices, service, (known) => corrected(known, service, label)),
    ),
    ...outdated.map(({ metadata }) => writer.remove(apiServices, '', metadata?.name ?? '')),
  ]);
}

function localService({ group, version, isCustom }: LocalVersion, vocabulary: Vocabulary): APIService {
  const priorities = prioritiesOf(group, version);
  const served = vocabulary.group(group);
  const management: Management = isCustom ? 'true' : 'onstart';
  return {
    kind: 'APIService',
    apiVersion: vocabulary.apiVersion(REGISTRATION_GROUP, 'v1'),
    metadata: { name: `${version}.${served}`, labels: { [vocabulary.automanagedLabel]: management } },
    spec: {
      ...(served === '' ? {} : { group: served }),
      version,
      groupPriorityMinimum: priorities.group,
      versionPriority: priorities.version,
    },
  };
}

/** Returns the corrected APIService. Returns undefined if it is correct or not managed by the server. */
function corrected(
  current: DeepReadonly<APIService>,
  { metadata, spec }: APIService,
  label: string,
): APIService | undefined {
  const management = current.metadata?.labels?.[label];
  if (management !== 'onstart' && management !== 'true') return undefined;
  const given = current.spec;
  const isRight =
    management === metadata?.labels?.[label] &&
    given?.service === undefined &&
    given?.groupPriorityMinimum === spec?.groupPriorityMinimum &&
    given?.versionPriority === spec?.versionPriority;
  if (isRight) return undefined;
  const labels = { ...current.metadata?.labels, ...metadata?.labels };
  return structuredClone({ ...current, metadata: { ...current.metadata, labels }, spec }) as APIService;
}
