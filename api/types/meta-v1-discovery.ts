import {
  type Infer,
  boolean,
  listOf,
  ref,
  required,
  string,
  struct,
  value,
  wrappedList,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';

/** Address of the server for the clients of one network. */
export const ServerAddressByClientCIDR = struct('apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR', {
  clientCIDR: required(1, string),
  serverAddress: required(2, string),
});
export interface ServerAddressByClientCIDR extends Infer<typeof ServerAddressByClientCIDR> {}

/** Versions of the core group, the response of `/api`. */
export const APIVersions = struct('apimachinery.pkg.apis.meta.v1.APIVersions', {
  ...typeMeta,
  versions: required(1, listOf(string)),
  serverAddressByClientCIDRs: required(2, listOf(ref<ServerAddressByClientCIDR>(ServerAddressByClientCIDR))),
});
export interface APIVersions extends Infer<typeof APIVersions> {}

/** A version of an API group. */
export const GroupVersionForDiscovery = struct('apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery', {
  groupVersion: required(1, string),
  version: required(2, string),
});
export interface GroupVersionForDiscovery extends Infer<typeof GroupVersionForDiscovery> {}

/** Name and versions of one API group. */
export const APIGroup = struct('apimachinery.pkg.apis.meta.v1.APIGroup', {
  ...typeMeta,
  name: required(1, string),
  versions: required(2, listOf(ref<GroupVersionForDiscovery>(GroupVersionForDiscovery))),
  preferredVersion: value(3, ref<GroupVersionForDiscovery>(GroupVersionForDiscovery)),
  serverAddressByClientCIDRs: value(4, listOf(ref<ServerAddressByClientCIDR>(ServerAddressByClientCIDR))),
});
export interface APIGroup extends Infer<typeof APIGroup> {}

/** All API groups except the core group, the response of `/apis`. */
export const APIGroupList = struct('apimachinery.pkg.apis.meta.v1.APIGroupList', {
  ...typeMeta,
  groups: required(1, listOf(ref<APIGroup>(APIGroup))),
});
export interface APIGroupList extends Infer<typeof APIGroupList> {}

/** A resource or subresource of a group version. */
export const APIResource = struct('apimachinery.pkg.apis.meta.v1.APIResource', {
  name: required(1, string),
  singularName: required(6, string),
  namespaced: required(2, boolean),
  group: value(8, string),
  version: value(9, string),
  kind: required(3, string),
  verbs: required(4, wrappedList(string)),
  shortNames: value(5, listOf(string)),
  categories: value(7, listOf(string)),
  storageVersionHash: value(10, string),
});
export interface APIResource extends Infer<typeof APIResource> {}

/** Resources of a group version. */
export const APIResourceList = struct('apimachinery.pkg.apis.meta.v1.APIResourceList', {
  ...typeMeta,
  groupVersion: required(1, string),
  resources: required(2, listOf(ref<APIResource>(APIResource))),
});
export interface APIResourceList extends Infer<typeof APIResourceList> {}
