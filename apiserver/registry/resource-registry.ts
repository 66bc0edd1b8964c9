import type { AnyKind } from '../../api/kinds/index.ts';
import { rejecting } from '../../base/async/index.ts';
import { confidentialWrites } from './confidential/writes.ts';
import { deleteCollection } from './delete/delete-collection.ts';
import { deleteObject } from './delete/delete.ts';
import { write } from './write/write.ts';
import { getObject, listObjects } from './read/read.ts';
import type { ResourceRegistry } from './registry.ts';
import type { Resource } from './resource.ts';
import { watchObjects } from './read/watch-stream.ts';
import { writable } from './write/write-conditions.ts';

/** Creates the verbs of one kind. */
export const createResourceRegistry = (kind: AnyKind, resource: Resource): ResourceRegistry =>
  kind.confidential === true ? confidentialWrites(verbsOf(kind, resource)) : verbsOf(kind, resource);

const verbsOf = (kind: AnyKind, resource: Resource): ResourceRegistry => ({
  kind,
  get: (namespace, name, resourceVersion) =>
    rejecting(() => getObject(resource, namespace, name, resourceVersion)),
  list: (parameters) => listObjects(resource, parameters),
  watch: (parameters) => watchObjects(resource, parameters),
  create: (namespace, body, context) =>
    write(writable(resource, context), { verb: 'create', namespace, body }, context),
  update: (namespace, name, subresource, body, context) =>
    write(writable(resource, context), { verb: 'update', namespace, name, subresource, body }, context),
  patch: (namespace, name, subresource, type, patch, context) =>
    write(writable(resource, context), { verb: 'patch', namespace, name, subresource, type, patch }, context),
  delete: (namespace, name, parameters, context) =>
    deleteObject(writable(resource, context), namespace, name, parameters, context),
  deleteCollection: (list, parameters, context) =>
    deleteCollection(writable(resource, context), list, parameters, context),
});
