import type { Descriptions } from './texts.ts';

const ADDRESSES = 'Addresses of the server by the networks that clients are in.';

/** Descriptions of the types of discovery responses. */
export const metaDiscovery = (): Descriptions => ({
  APIGroup: {
    '': 'The versions of one group.',
    name: 'Name of the group.',
    preferredVersion: 'Version that clients should use who have no other reason.',
    serverAddressByClientCIDRs: ADDRESSES,
    versions: 'Versions that are served, best first.',
  },
  APIGroupList: {
    '': 'All groups besides the core one.',
    groups: 'The groups, one entry each.',
  },
  APIResource: {
    '': 'A resource of a group version, or a subresource.',
    categories: 'Words that stand for this resource among others, such as `all`.',
    group: "Group of the resource's objects, where it is another than that of the list.",
    kind: 'Kind of the objects.',
    name: 'Plural name, with `/` before the name of a subresource.',
    namespaced: 'True if objects are in namespaces.',
    shortNames: 'Shorter names for use on a command line.',
    singularName: 'Singular name; empty of subresources.',
    storageVersionHash: 'Changes with the version that objects are stored in; opaque.',
    verbs: 'Supported verbs, such as `get`, `list` and `watch`.',
    version: "Version of the resource's objects, where it is another than that of the list.",
  },
  APIResourceList: {
    '': 'The resources of a group version.',
    groupVersion: 'Group and version they are served at.',
    resources: 'The resources and subresources, one entry each.',
  },
  APIVersions: {
    '': 'The versions of the core group.',
    serverAddressByClientCIDRs: ADDRESSES,
    versions: 'Versions that are served, best first.',
  },
  GroupVersionForDiscovery: {
    '': 'A version of a group.',
    groupVersion: 'Group and version as in `apiVersion`.',
    version: 'Version without the group.',
  },
  ServerAddressByClientCIDR: {
    '': 'Address of the server for clients of a network.',
    clientCIDR: 'Network of the clients.',
    serverAddress: 'Host name or address, and port where it is not the usual one.',
  },
});

/** Descriptions of the package `pkg.version`. */
export const pkg = (): Descriptions => ({
  Info: {
    '': "Version of the server's program.",
    buildDate: 'When it was built.',
    compiler: 'Compiler or runtime of the program.',
    gitCommit: 'Commit it was built from.',
    gitTreeState: '`clean` where nothing had been changed since that commit.',
    gitVersion: 'Version of the API that it speaks, with a patch release.',
    goVersion: 'Version of the language it is written in.',
    major: 'First part of the version.',
    minor: 'Second part of the version.',
    platform: 'Operating system and architecture.',
  },
});
