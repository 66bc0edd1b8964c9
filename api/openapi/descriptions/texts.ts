/**
 * Descriptions of the types of one group, for all its versions: by type, then by field. The key `''` holds
 * the description of the type. Each description is one sentence. Names of OpenAPI extensions are written
 * without their prefix.
 */
export type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;
