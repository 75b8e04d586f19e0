"""What a worker may remove from its disk."""

from fastapi import APIRouter, Depends

from phylon.backend.dependencies import ReadSession, require_worker
from phylon.backend.kit.errors import Unauthorized, responses
from phylon.backend.sweeping import repository
from phylon.contract.protocol import JobFolders

router = APIRouter(
    prefix="/worker", tags=["worker"], dependencies=[Depends(require_worker)], responses=responses(Unauthorized)
)


@router.post("/folders")
def find_needed_folders(body: JobFolders, session: ReadSession) -> JobFolders:
    """Those of jobs that may go on. What ended jobs left is with the service, and deleted ones leave nothing."""
    return JobFolders(job_ids=repository.needed_jobs(session, body.job_ids))
