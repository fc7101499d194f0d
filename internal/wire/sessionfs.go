package wire

import (
	"github.com/github/copilot-sdk/go/rpc"
)

// Parameters and results of sessionFs, by which a client keeps the files of sessions.
type (
	StorageProvider          = rpc.SessionFSSetProviderRequest
	StorageError             = rpc.SessionFSError
	StorageReadFile          = rpc.SessionFSReadFileRequest
	StorageFileRead          = rpc.SessionFSReadFileResult
	StorageWriteFile         = rpc.SessionFSWriteFileRequest
	StorageAppendFile        = rpc.SessionFSAppendFileRequest
	StorageStat              = rpc.SessionFSStatRequest
	StorageInfo              = rpc.SessionFSStatResult
	StorageMkdir             = rpc.SessionFSMkdirRequest
	StorageReaddir           = rpc.SessionFSReaddirWithTypesRequest
	StorageEntries           = rpc.SessionFSReaddirWithTypesResult
	StorageEntry             = rpc.SessionFSReaddirWithTypesEntry
	StorageRm                = rpc.SessionFSRmRequest
	StorageRename            = rpc.SessionFSRenameRequest
	StorageQuery             = rpc.SessionFSSqliteQueryRequest
	StorageQueried           = rpc.SessionFSSqliteQueryResult
	StorageTransaction       = rpc.SessionFSSqliteTransactionRequest
	StorageStatement         = rpc.SessionFSSqliteTransactionStatement
	StorageTransacted        = rpc.SessionFSSqliteTransactionResult
	StorageSqliteExists      = rpc.SessionFSSqliteExistsRequest
	StorageSqliteExistence   = rpc.SessionFSSqliteExistsResult
	StorageQueryType         = rpc.SessionFSSqliteQueryType
	StorageTransactionFailed = rpc.SessionFSSqliteTransactionError
)
