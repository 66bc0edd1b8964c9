import type { AnyKind, Scheme } from '../kinds/scheme.ts';
import { APIGroup, APIGroupList, APIResourceList, APIVersions } from '../types/meta-v1-discovery.ts';
import { VersionInfo } from '../types/version.ts';
import { type Operation, groupName, mediaTypesOf, placeOf } from './operation.ts';
import { rootOf } from './paths.ts';
import { capital } from './words.ts';

/** A document that the server serves at a dedicated path, such as the keys of token issuers. */
export interface DescribedDocument {
  readonly path: string;
  readonly mediaType: string;
  readonly operationId: string;
  readonly tag: string;
  readonly description: string;
}

/**
 * Returns the operations that describe the server: discovery, the server version, and the given documents.
 */
export function discoveryOperations(
  scheme: Scheme,
  kinds: readonly AnyKind[],
  documents: readonly DescribedDocument[],
): Operation[] {
  const media = mediaTypesOf(scheme.vocabulary.protobufMediaType);
  const discovery = (
    operation: Pick<Operation, 'path' | 'operationId' | 'tag' | 'description'>,
    of: string,
  ) => read({ ...operation, consumes: media, produces: media, responses: { '200': of } });
  const groups = [...new Set(kinds.map(({ group }) => group))].filter((group) => group !== '');
  const versions = new Map(kinds.map((kind) => [rootOf(scheme, kind), kind]));
  const available = 'get available API versions';
  const json = ['application/json'];
  return [
    discovery(
      { path: '/api/', operationId: 'getCoreAPIVersions', tag: 'core', description: available },
      APIVersions.name,
    ),
    discovery(
      { path: '/apis/', operationId: 'getAPIVersions', tag: 'apis', description: available },
      APIGroupList.name,
    ),
    ...groups.map((group) => {
      const tag = groupName(group);
      const path = `/apis/${scheme.vocabulary.group(group)}/`;
      const operationId = `get${capital(tag)}APIGroup`;
      return discovery({ path, operationId, tag, description: 'get what a group serves' }, APIGroup.name);
    }),
    ...[...versions].map(([root, kind]) => {
      const { tag, place } = placeOf(kind);
      const operationId = `get${place}APIResources`;
      return discovery(
        { path: `${root}/`, operationId, tag, description: 'get available resources' },
        APIResourceList.name,
      );
    }),
    read({
      path: '/version/',
      operationId: 'getCodeVersion',
      tag: 'version',
      description: 'get the version of the server',
      consumes: json,
      produces: json,
      responses: { '200': VersionInfo.name },
    }),
    ...documents.map(({ path, mediaType, ...said }) =>
      read({ ...said, path: `${path}/`, consumes: [], produces: [mediaType], responses: { '200': '' } }),
    ),
  ];
}

const read = (operation: Omit<Operation, 'method' | 'subject' | 'parameters' | 'body'>): Operation => ({
  ...operation,
  method: 'get',
  subject: undefined,
  parameters: [],
  body: undefined,
});
