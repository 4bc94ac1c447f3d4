export type OrganizationDocument = { _id: string; name: string; createdTime: Date };
